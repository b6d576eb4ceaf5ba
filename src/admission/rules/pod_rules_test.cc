#include <gtest/gtest.h>

#include "admission/validate.h"
#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::Container;
using model::PodSpec;
using test::bad_name;
using test::Lines;
using test::lines;
using test::pod;
using test::put;
using test::quantity;

struct PodCase {
  const char* sentence;
  std::function<void(PodSpec&)> edit;
  Lines problems;
};

void expect_each(const std::vector<PodCase>& cases) {
  for (const PodCase& given : cases) {
    SCOPED_TRACE(given.sentence);
    EXPECT_EQ(lines(validate(*pod("a").with(given.edit).build())), given.problems);
  }
}

Container container(std::string name) {
  Container made;
  made.name = std::move(name);
  return made;
}

void set(PodSpec& spec, std::string_view resource, std::string_view request,
         std::string_view limit) {
  put(spec.containers[0].requests, resource, quantity(request));
  put(spec.containers[0].limits, resource, quantity(limit));
}

TEST(PodRules, acceptThePodOfTheBuilder) { EXPECT_EQ(lines(validate(*pod("a").build())), Lines{}); }

TEST(PodRules, requireASpec) {
  model::Pod bare;
  bare.meta.name = "a";
  bare.meta.ns = "t";
  EXPECT_EQ(lines(validate(bare)), Lines{"spec: is required"});
}

TEST(PodRules, tellContainersApart) {
  expect_each({
      {"a pod needs a container",
       [](PodSpec& spec) { spec.containers.clear(); },
       {"spec.containers: must have at least one entry, has 0"}},
      {"init containers are not enough",
       [](PodSpec& spec) { spec.containers.swap(spec.init_containers); },
       {"spec.containers: must have at least one entry, has 0"}},
      {"two names are two containers",
       [](PodSpec& spec) { spec.containers.push_back(container("other")); },
       {}},
      {"a name occurs once",
       [](PodSpec& spec) { spec.containers.push_back(container("main")); },
       {"spec.containers[1].name: must be unique, 'main' occurs more than once"}},
      {"init containers share the names",
       [](PodSpec& spec) { spec.init_containers.push_back(container("main")); },
       {"spec.containers[0].name: must be unique, 'main' occurs more than once"}},
      {"a container has a name",
       [](PodSpec& spec) { spec.containers[0].name.clear(); },
       {"spec.containers[0].name: is required"}},
      {"the name is a DNS label",
       [](PodSpec& spec) { spec.containers[0].name = "Main"; },
       {bad_name("spec.containers[0].name", dns_label_problem("Main"), "Main")}},
  });
}

TEST(PodRules, boundRequestsByLimits) {
  expect_each({
      {"a request may be below its limit",
       [](PodSpec& spec) { set(spec, "cpu", "500m", "1"); },
       {}},
      {"a request may equal its limit", [](PodSpec& spec) { set(spec, "cpu", "1000m", "1"); }, {}},
      {"a request may not exceed its limit",
       [](PodSpec& spec) { set(spec, "cpu", "2", "1"); },
       {"spec.containers[0].resources.requests[cpu]: must be at most the limit of 1, is 2"}},
      {"a request may not be negative",
       [](PodSpec& spec) { put(spec.containers[0].requests, "cpu", quantity("-1")); },
       {"spec.containers[0].resources.requests[cpu]: must be at least 0, is -1"}},
      {"a limit may not be negative",
       [](PodSpec& spec) { put(spec.containers[0].limits, "memory", quantity("-1")); },
       {"spec.containers[0].resources.limits[memory]: must be at least 0, is -1"}},
      {"zero is an amount",
       [](PodSpec& spec) { put(spec.containers[0].requests, "cpu", quantity("0")); },
       {}},
      {"devices are whole",
       [](PodSpec& spec) { set(spec, "nvidia.com/gpu", "500m", "500m"); },
       {"spec.containers[0].resources.requests[nvidia.com/gpu]: must be a whole number, is 500m",
        "spec.containers[0].resources.limits[nvidia.com/gpu]: must be a whole number, is 500m"}},
      {"devices are not shared out twice",
       [](PodSpec& spec) { set(spec, "nvidia.com/gpu", "1", "2"); },
       {"spec.containers[0].resources.requests[nvidia.com/gpu]: must equal the limit of 2, is 1"}},
      {"nor are huge pages",
       [](PodSpec& spec) { set(spec, "hugepages-2Mi", "2Mi", "4Mi"); },
       {"spec.containers[0].resources.requests[hugepages-2Mi]: must equal the limit of 4Mi, is "
        "2Mi"}},
      {"whole devices are fine", [](PodSpec& spec) { set(spec, "nvidia.com/gpu", "8", "8"); }, {}},
      {"a resource without a domain is Kubernetes' own",
       [](PodSpec& spec) { put(spec.containers[0].requests, "gpu", quantity("1")); },
       {"spec.containers[0].resources.requests[gpu]: must be cpu, memory, ephemeral-storage, "
        "hugepages-SIZE or a name with a domain"}},
      {"a whole pod asks for cpu and memory",
       [](PodSpec& spec) { put(spec.pod_requests, "cpu", quantity("4")); },
       {}},
      {"a whole pod does not ask for devices",
       [](PodSpec& spec) { put(spec.pod_requests, "nvidia.com/gpu", quantity("4")); },
       {"spec.resources.requests[nvidia.com/gpu]: must be cpu, memory or hugepages-SIZE for a "
        "whole pod"}},
      {"overhead is not negative",
       [](PodSpec& spec) { put(spec.overhead, "cpu", quantity("-10m")); },
       {"spec.overhead[cpu]: must be at least 0, is -10m"}},
  });
}

TEST(PodRules, boundPorts) {
  const auto port = [](std::int32_t of_container, std::int32_t of_host) {
    return [=](PodSpec& spec) {
      spec.containers[0].ports.push_back({of_container, of_host, "", model::Protocol::tcp});
    };
  };
  const auto on_host_network = [](std::int32_t of_container, std::int32_t of_host) {
    return [=](PodSpec& spec) {
      spec.host_network = true;
      spec.containers[0].ports.push_back({of_container, of_host, "", model::Protocol::tcp});
    };
  };
  const auto twice = [](model::Protocol second, std::string second_ip) {
    return [=](PodSpec& spec) {
      spec.containers.push_back(container("other"));
      spec.containers[0].ports.push_back({80, 80, "", model::Protocol::tcp});
      spec.containers[1].ports.push_back({80, 80, second_ip, second});
    };
  };
  expect_each({
      {"the smallest port", port(1, 1), {}},
      {"the largest port", port(65535, 65535), {}},
      {"no host port", port(80, 0), {}},
      {"another host port", port(80, 8080), {}},
      {"a container port is not 0",
       port(0, 0),
       {"spec.containers[0].ports[0].containerPort: must be between 1 and 65535, is 0"}},
      {"a host port is not above 65535",
       port(80, 65536),
       {"spec.containers[0].ports[0].hostPort: must be between 1 and 65535, is 65536"}},
      {"a host port is not negative",
       port(80, -1),
       {"spec.containers[0].ports[0].hostPort: must be between 1 and 65535, is -1"}},
      {"on the host's network both are one", on_host_network(80, 80), {}},
      {"on the host's network they do not differ",
       on_host_network(80, 8080),
       {"spec.containers[0].ports[0].hostPort: must equal containerPort 80 with hostNetwork, is "
        "8080"}},
      {"two protocols are two ports", twice(model::Protocol::udp, ""), {}},
      {"two addresses are two ports", twice(model::Protocol::tcp, "10.0.0.1"), {}},
      {"a host port is used once",
       twice(model::Protocol::tcp, ""),
       {"spec.containers[1].ports[0].hostPort: must be unique, '0.0.0.0:80/TCP' occurs more than "
        "once"}},
      {"no address is every address",
       twice(model::Protocol::tcp, "0.0.0.0"),
       {"spec.containers[1].ports[0].hostPort: must be unique, '0.0.0.0:80/TCP' occurs more than "
        "once"}},
  });
}

TEST(PodRules, letInitContainersReuseHostPortsUnlessTheyStay) {
  const auto edit = [](bool stays) {
    return [stays](PodSpec& spec) {
      Container init = container("init");
      init.restart_always = stays;
      init.ports.push_back({80, 80, "", model::Protocol::tcp});
      spec.containers[0].ports = init.ports;
      spec.init_containers.push_back(init);
    };
  };
  expect_each({
      {"an init container is gone before the others start", edit(false), {}},
      {"a sidecar is not",
       edit(true),
       {"spec.containers[0].ports[0].hostPort: must be unique, '0.0.0.0:80/TCP' occurs more than "
        "once"}},
  });
}

TEST(PodRules, forbidGatesOnABoundPod) {
  EXPECT_EQ(lines(validate(*pod("a").gate("example.com/wait").build())), Lines{});
  EXPECT_EQ(lines(validate(*pod("a").on("n1").build())), Lines{});
  EXPECT_EQ(lines(validate(*pod("a").gate("example.com/wait").on("n1").build())),
            Lines{"spec.nodeName: must be empty while the pod has scheduling gates, is 'n1'"});
  EXPECT_EQ(lines(validate(*pod("a").gate("g").gate("g").build())),
            Lines{"spec.schedulingGates[1].name: must be unique, 'g' occurs more than once"});
  EXPECT_EQ(lines(validate(*pod("a").gate("").build())),
            Lines{"spec.schedulingGates[0].name: is required"});
}

TEST(PodRules, checkWhatAPodNames) {
  expect_each({
      {"a group is a DNS name", [](PodSpec& spec) { spec.scheduling_group = "train.v2"; }, {}},
      {"and nothing else",
       [](PodSpec& spec) { spec.scheduling_group = "Train"; },
       {bad_name("spec.schedulingGroup.podGroupName", dns_subdomain_problem("Train"), "Train")}},
      {"so is a priority class",
       [](PodSpec& spec) { spec.priority_class_name = "a_b"; },
       {bad_name("spec.priorityClassName", dns_subdomain_problem("a_b"), "a_b")}},
      {"a claim has a source",
       [](PodSpec& spec) {
         spec.resource_claims = {{"gpu", "", ""}};
       },
       {"spec.resourceClaims[0]: must have exactly one of resourceClaimName and "
        "resourceClaimTemplateName, has none"}},
      {"a claim has one source",
       [](PodSpec& spec) {
         spec.resource_claims = {{"gpu", "a", "b"}};
       },
       {"spec.resourceClaims[0]: must have exactly one of resourceClaimName and "
        "resourceClaimTemplateName, has both"}},
      {"claims have names of their own",
       [](PodSpec& spec) {
         spec.resource_claims = {{"gpu", "a", ""}, {"gpu", "", "b"}};
       },
       {"spec.resourceClaims[1].name: must be unique, 'gpu' occurs more than once"}},
      {"claims of both forms",
       [](PodSpec& spec) {
         spec.resource_claims = {{"gpu", "a", ""}, {"nic", "", "b"}};
       },
       {}},
      {"volumes have names of their own",
       [](PodSpec& spec) {
         spec.volumes.resize(2);
         spec.volumes[0].name = spec.volumes[1].name = "data";
       },
       {"spec.volumes[1].name: must be unique, 'data' occurs more than once"}},
      {"a volume claim is named",
       [](PodSpec& spec) {
         spec.volumes.resize(1);
         spec.volumes[0].name = "data";
         spec.volumes[0].source = model::Volume::Source::claim;
       },
       {"spec.volumes[0].persistentVolumeClaim.claimName: is required"}},
  });
}

TEST(PodRules, boundAPodsLife) {
  expect_each({
      {"known restart policies", [](PodSpec& spec) { spec.restart_policy = "OnFailure"; }, {}},
      {"unknown restart policies",
       [](PodSpec& spec) { spec.restart_policy = "Sometimes"; },
       {"spec.restartPolicy: must be one of Always, OnFailure, Never, is 'Sometimes'"}},
      {"a deadline of a second", [](PodSpec& spec) { spec.active_deadline_seconds = 1; }, {}},
      {"a deadline of none",
       [](PodSpec& spec) { spec.active_deadline_seconds = 0; },
       {"spec.activeDeadlineSeconds: must be between 1 and 2147483647, is 0"}},
      {"no grace", [](PodSpec& spec) { spec.termination_grace_seconds = 0; }, {}},
      {"less than none",
       [](PodSpec& spec) { spec.termination_grace_seconds = -1; },
       {"spec.terminationGracePeriodSeconds: must be at least 0, is -1"}},
  });
}

TEST(PodRules, reportEveryProblemAtOnce) {
  const auto edit = [](PodSpec& spec) {
    spec.containers[0].name.clear();
    spec.restart_policy = "x";
  };
  EXPECT_EQ(validate(*pod("a").with(edit).build()).size(), 2U);
}

}  // namespace
}  // namespace tutti::admission
