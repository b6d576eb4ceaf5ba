"""Renders the Helm chart without Helm: the part of its template language that our chart uses.

Known are values by path, `X | default Y`, `toYaml X | nindent N`, and if/end on lines of their own.
Anything else in a template is an error, so that the chart stays within what is checked here.
"""
import copy
import pathlib
import re

import yaml

CHART = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "helm" / "tutti"
PATH = r"\.[A-Za-z]+(?:\.[A-Za-z]+)*"


class TemplateError(Exception):
    pass


def load(name):
    return yaml.safe_load((CHART / name).read_text())


def merged(base, changes):
    """The values under the changes, as Helm does it: maps merge, the rest is replaced."""
    result = copy.deepcopy(base)
    for key, value in changes.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged(result[key], value) if both else value
    return result


class Template:
    def __init__(self, text, scope):
        self.lines = text.splitlines()
        self.scope = scope

    def render(self):
        """The text; lines between a false `if` and its `end` are left out."""
        shown = [True]
        out = []
        for line in self.lines:
            word = line.strip()
            if opened := re.fullmatch(rf"\{{\{{- if ({PATH}) \}}\}}", word):
                shown.append(shown[-1] and bool(self.value(opened[1])))
            elif word == "{{- end }}":
                shown.pop()
            elif shown[-1]:
                out.append(self.line(line))
        if len(shown) != 1:
            raise TemplateError("if without end")
        return "\n".join(out) + "\n"

    def line(self, line):
        if block := re.fullmatch(rf"\s*\{{\{{- toYaml ({PATH}) \| nindent (\d+) \}}\}}", line):
            text = yaml.safe_dump(self.value(block[1]), sort_keys=False).rstrip()
            return "\n".join(" " * int(block[2]) + row for row in text.splitlines())
        filled = re.sub(r"\{\{ (.*?) \}\}", lambda found: self.expression(found[1]), line)
        if "{{" in filled:
            raise TemplateError(f"not understood: {line}")
        return filled

    def expression(self, text):
        path, _, fallback = text.partition(" | default ")
        value = self.value(path)
        if fallback and not value:
            value = self.value(fallback)
        return str(value).lower() if isinstance(value, bool) else str(value)

    def value(self, path):
        if not re.fullmatch(PATH, path):
            raise TemplateError(f"not understood: {path}")
        at = self.scope
        for key in path[1:].split("."):
            if key not in at:
                raise TemplateError(f"no value {path}")
            at = at[key]
        return at


def render(values=None, name="tutti", namespace="tutti-system"):
    """The text of each template, by its name."""
    chart = load("Chart.yaml")
    scope = {
        "Values": merged(load("values.yaml"), values or {}),
        "Release": {"Name": name, "Namespace": namespace},
        "Chart": {"AppVersion": chart["appVersion"]},
    }
    templates = sorted((CHART / "templates").glob("*.yaml"))
    return {path.stem: Template(path.read_text(), scope).render() for path in templates}
