#include "cli/input/examples.h"

namespace tutti::cli {

const char* const kRunExample =
    "Examples:\n"
    "  tutti run -f examples/quickstart\n"
    "  tutti run -f cluster.yaml jobs/ --until 2h -o json --kinds pods,podgroups\n"
    "  tutti run -f scene.yaml --expect scene.expect.yaml   exits 3 if the policy changed\n"
    "  tutti run -f cluster.yaml jobs/ --compare pack-gpus   who would run that does not now\n"
    "\n"
    "A folder stands for its *.yaml, *.yml and *.json, in order of their names, without the\n"
    "folders below it (-R). Files may have 1 GiB, documents 64 MiB.";
const char* const kExplainExample =
    "Examples:\n"
    "  tutti explain podgroup/finetune -n ml -f examples/quickstart\n"
    "  tutti explain pod/web-0 -f cluster.yaml -f pods.yaml -o json\n"
    "  tutti explain job/train -n ml --server http://127.0.0.1:10259\n"
    "  kubectl tutti explain podgroup/train -n ml   the leader in kubectl's cluster\n"
    "  kubectl tutti explain podgroup/train -n ml --live   and when it will run\n"
    "  tutti explain lws/llm -n serve -f cluster.yaml   also: explain lws llm, explain llm\n"
    "  tutti explain -A -f cluster.yaml   everything that waits\n"
    "\n"
    "Without -f a running scheduler is asked, at --server or, with --kubeconfig or --context or "
    "as\n"
    "a kubectl plugin, in a cluster through its API server. With --live the cluster itself is\n"
    "read, which needs get and list on what the scheduler reads, and is played ahead here: only\n"
    "so can it be said when something will run. The options of virtual time need -f or --live.";

const char* const kCapacityExample =
    "Examples:\n"
    "  tutti capacity -f examples/quickstart\n"
    "  tutti capacity -f cluster.yaml --shape cpu=8,memory=64Gi,nvidia.com/gpu=8 -o json\n"
    "  tutti capacity -f cluster.yaml --level example.com/row --until 2h --html capacity.html\n"
    "  tutti capacity -f cluster.yaml --by nvidia.com/gpu.product   H100 and L4 apart\n"
    "  kubectl tutti capacity                       of kubectl's cluster\n"
    "\n"
    "Says what still fits, which devices are idle and why, and what waits for what. Without\n"
    "--shape: for pods like those that run and wait.";

const char* const kPlanExample =
    "Examples:\n"
    "  tutti plan -f job.yaml --cluster cluster.yaml\n"
    "  tutti plan -f job.yaml --cluster cluster.yaml --count -o json\n"
    "  tutti plan -f job.yaml --cluster cluster.yaml --queue batch   in another queue\n"
    "  tutti plan -f snapshot.yaml --drain rack=r3  where its pods would go, and which would not\n"
    "  tutti plan -f snapshot.yaml --add-nodes 8:n1 what would run on eight more like n1\n"
    "  kubectl tutti plan -f job.yaml               on kubectl's cluster\n"
    "\n"
    "Changes nothing. Without --cluster or --live the manifests hold the cluster, too: what is "
    "not\n"
    "placed in them is what is asked about.";

const char* const kQueuesExample =
    "Examples:\n"
    "  tutti queues -f examples/quota\n"
    "  tutti queues team-a -f examples/quota   who waits there, and until when\n"
    "  tutti queues -f examples/quota --until 30m -o json\n"
    "  kubectl tutti queues                    of kubectl's cluster\n"
    "\n"
    "NAME is a ClusterQueue, a Cohort, or a LocalQueue as NAMESPACE/NAME.";

const char* const kDoctorExample =
    "Example:\n"
    "  tutti doctor -f examples/doctor\n"
    "  tutti doctor --live                                  a cluster, through its API server\n"
    "  tutti doctor -f manifests/ --fail-on warning -o json  exits 3 if there is one; for CI\n";

const char* const kPolicyExample =
    "Examples:\n"
    "  tutti policy -f examples/quota\n"
    "  tutti policy -f examples/quota --from team-a:100 --to team-b\n"
    "  tutti policy -f queues/ --expect rights.expect.yaml   exits 3 if the policy changed\n"
    "\n"
    "Says who may ever evict whom for quota, by asking the searches that choose victims. What\n"
    "runs has no part in it.";

const char* const kWhyExample =
    "Examples:\n"
    "  tutti why job/sweep-1 -n vision -f examples/quota --until 1h\n"
    "  tutti why eval -n vision --not sweep-1 -f examples/quota --until 1h\n"
    "  tutti why job/train -n ml -f cluster.yaml --until 30m -o json\n"
    "\n"
    "Says most of requests in queues: the Workload, or what it was made for. What was not\n"
    "recorded is unknown, never guessed. --not compares two requests.";

const char* const kSchedulerExample =
    "Examples:\n"
    "  tutti scheduler --kubeconfig ~/.kube/config --leader-elect=false\n"
    "  tutti scheduler --config scheduler.yaml --log-format json   in a pod: its service account\n"
    "\n"
    "Schedules pods whose spec.schedulerName is 'tutti', or those of the configured profiles; a\n"
    "profile named default-scheduler replaces kube-scheduler. Health and metrics: /livez, "
    "/readyz,\n"
    "/healthz and /metrics on --bind-address; verdicts: /explain. SIGTERM lets bindings under way "
    "end.";
const char* const kControllersExample =
    "Examples:\n"
    "  tutti controllers --kubeconfig ~/.kube/config --leader-elect=false\n"
    "  tutti controllers --parts stamping --log-format json   in a pod: its service account\n"
    "\n"
    "Does for workloads what the cluster's own controllers do not, and says in its log what that\n"
    "is: stamping makes the PodGroups of Workloads that people write themselves, protection lets\n"
    "deleted PodGroups go that nobody else lets go. Jobs are left alone: kube-controller-manager\n"
    "makes their PodGroups, or tutti scheduler groups their pods in memory. Not needed for gangs.";
const char* const kSnapshotExample =
    "Examples:\n"
    "  tutti snapshot > cluster.yaml && tutti explain podgroup/train -n ml -f cluster.yaml\n"
    "  tutti snapshot --hash-names -o json > to-share.json\n"
    "\n"
    "Needs get and list on what the scheduler reads; changes nothing. All objects are of one "
    "moment.";
const char* const kCompletionExample =
    "Examples:\n"
    "  source <(tutti completion bash)                        in this shell\n"
    "  tutti completion bash > /etc/bash_completion.d/tutti   in all\n"
    "  tutti completion fish > ~/.config/fish/completions/tutti.fish";
const char* const kHelpExample =
    "Example:\n"
    "  tutti help run";
const char* const kVersionExample =
    "Example:\n"
    "  tutti version";

}  // namespace tutti::cli
