# Installs the headers a user plugin is built against (see docs/guides/plugins.md).
