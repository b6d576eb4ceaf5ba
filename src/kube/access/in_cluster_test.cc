#include "kube/access/in_cluster.h"

#include <gtest/gtest.h>

#include <string>

#include "support/temp_folder.h"

namespace tutti::kube {
namespace {

using test::TempFolder;

void mount_account(const TempFolder& folder) {
  folder.write("token", "eyJ.secret");
  folder.write("ca.crt", "-----BEGIN CERTIFICATE-----");
  folder.write("namespace", "tutti-system\n");
}

TEST(InCluster, reachesTheServiceWithTheMountedAccount) {
  const TempFolder folder;
  mount_account(folder);

  const Result<Access> access = in_cluster_access({"10.96.0.1", "443", folder.path()});

  ASSERT_TRUE(access.ok()) << access.error().message;
  EXPECT_EQ(access->endpoint.url, "https://10.96.0.1:443");
  EXPECT_EQ(access->endpoint.ca_file, folder.path("ca.crt"));
  EXPECT_EQ(access->token_file, folder.path("token"));
  EXPECT_EQ(access->token, "") << "the file is read when it is needed, because it rotates";
  EXPECT_EQ(access->ns, "tutti-system");
}

TEST(InCluster, putsAnIpv6HostIntoBrackets) {
  const TempFolder folder;
  mount_account(folder);

  const Result<Access> access = in_cluster_access({"fd00:10:96::1", "443", folder.path()});

  ASSERT_TRUE(access.ok()) << access.error().message;
  EXPECT_EQ(access->endpoint.url, "https://[fd00:10:96::1]:443");
}

TEST(InCluster, saysWhatIsMissing) {
  const TempFolder folder;
  const auto error_of = [&](const PodSurroundings& pod) {
    const Result<Access> access = in_cluster_access(pod);
    return access.ok() ? "" : access.error().message;
  };

  EXPECT_NE(error_of({"", "443", folder.path()}).find("KUBERNETES_SERVICE_HOST"),
            std::string::npos);
  EXPECT_NE(error_of({"h", "443", folder.path()}).find(folder.path("token") + ": cannot be read"),
            std::string::npos);
  folder.write("token", "");
  EXPECT_EQ(error_of({"h", "443", folder.path()}), folder.path("token") + ": empty");
}

TEST(FindAccess, prefersANamedKubeconfigThenThePodThenHome) {
  const TempFolder folder;
  mount_account(folder);
  const std::string config =
      folder.write(".kube/config",
                   "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n"
                   "clusters: [{name: c, cluster: {server: 'https://file'}}]\n");
  const PodSurroundings pod{"pod", "443", folder.path()};
  const auto url_of = [](const Result<Access>& access) {
    return access.ok() ? access->endpoint.url : access.error().message;
  };

  EXPECT_EQ(url_of(find_access({.path = config}, pod)), "https://file");
  EXPECT_EQ(url_of(find_access({.environment = config}, pod)), "https://file");
  EXPECT_EQ(url_of(find_access({.home = folder.path(), .context = "x"}, pod)), "https://file");
  EXPECT_EQ(url_of(find_access({.home = folder.path()}, pod)), "https://pod:443");
  EXPECT_EQ(url_of(find_access({.home = folder.path()}, {})), "https://file");
}

}  // namespace
}  // namespace tutti::kube
