/** Kinds of tune files that can be begun with. */
export const initNames = ['mindie', 'vllm', 'sglang', 'command'] as const;
export type InitName = (typeof initNames)[number];

const ending = `
# What is asked of the server: the words of \`dyno run\` (docs/guide/workloads.md). How many requests a trial needs follows from the
# load and how long requests stay; a number here is the least. 负载内容，与 dyno run 的参数相同；请求数按驻留时间自动确定。
workload:
  input-tokens: 186
  output-tokens: 346

objective: outputTokensPerSec      # or requestsPerSec, goodput, costPerMillionTokens (with pricePerHour) … 目标
slo:                               # every one must hold at the 90 % bound of fresh runs 约束
  - itl.mean<50ms
  - failed<0.1%

budget:
  runs: 10                         # trials in all, confirmations among them 试验总次数
  hours: 8
confirm: 2                         # fresh seeds that the winner has to stand 确认次数
`;

const mindie = `# dyno tune for MindIE. Check it with: dyno tune FILE --dry-run
# MindIE 调优文件。先检查：dyno tune FILE --dry-run
engine: mindie
url: http://127.0.0.1:1025

# Settings are written into config.json by path; the original comes back at the end, after Ctrl-C, and after kill -9.
# 按路径修改 config.json；结束、中断甚至 kill -9 之后都会恢复原文件。
apply:
  config:
    - file: /usr/local/Ascend/mindie/latest/mindie-service/conf/config.json
      set:
        maxBatchSize: BackendConfig.ScheduleConfig.maxBatchSize
        maxPrefillBatchSize: BackendConfig.ScheduleConfig.maxPrefillBatchSize
        maxPrefillTokens: BackendConfig.ScheduleConfig.maxPrefillTokens
        supportSelectBatch: BackendConfig.ScheduleConfig.supportSelectBatch
        prefillTimeMsPerReq: BackendConfig.ScheduleConfig.prefillTimeMsPerReq
        npuMemSize: BackendConfig.ModelDeployConfig.ModelConfig[0].npuMemSize

start:
  command: ./bin/mindieservice_daemon
  cwd: /usr/local/Ascend/mindie/latest/mindie-service
ready:
  log: Daemon start success!
  timeout: 20m

space:
  maxBatchSize: {from: 16, to: 400, start: 200}     # dyno plan gives the range 取值范围可由 dyno plan 给出
  maxPrefillBatchSize: maxBatchSize/2
  maxPrefillTokens: 8192
  supportSelectBatch: [true, false]
  prefillTimeMsPerReq: 600
  # Raised until "Npu out of memory", then two GB back. 逐步调大直到显存不足，再回退 2 GB。
  # npuMemSize: {from: 12, to: 28, step: 1, start: 17, raise: {back: 2}}

load:
  concurrency: maxBatchSize - 1    # follows the batch; or a number, or {from: 16, to: 400} to search it 随批大小变化；也可固定或搜索
`;

const vllm = `# dyno tune for vLLM. Check it with: dyno tune FILE --dry-run
# vLLM 调优文件。先检查：dyno tune FILE --dry-run
engine: vllm
url: http://127.0.0.1:8000

start:
  command: vllm serve MODEL --port 8000 {flags}    # {flags}: --max-num-seqs 256 … ; {NAME} one value 参数模板
ready:
  url: http://127.0.0.1:8000/health
  timeout: 20m

space:
  max_num_seqs: {from: 16, to: 512, step: 8, start: 256}
  max_num_batched_tokens: {from: 1024, to: 16384, step: 1024, start: 8192}
  # Raised until CUDA is out of memory, then 0.02 back. 逐步调大直到显存不足，再回退。
  # gpu_memory_utilization: {from: 0.8, to: 0.98, step: 0.01, start: 0.9, raise: {back: 0.02}}

load:
  rate: {from: 0.5, to: 40, step: 0.5}
`;

const sglang = `# dyno tune for SGLang. Check it with: dyno tune FILE --dry-run
# SGLang 调优文件。先检查：dyno tune FILE --dry-run
engine: sglang
url: http://127.0.0.1:30000

start:
  command: python3 -m sglang.launch_server --model-path MODEL --port 30000 {flags}
ready:
  url: http://127.0.0.1:30000/health
  timeout: 20m

space:
  max_running_requests: {from: 16, to: 512, step: 8, start: 256}
  chunked_prefill_size: {from: 1024, to: 16384, step: 1024, start: 8192}
  mem_fraction_static: [0.8, 0.85, 0.9]

load:
  concurrency: 512
`;

const command = `# dyno tune with a command of your own: it is given {"settings": …, "load": …, "seed": …} as JSON on stdin and prints a
# summary (or a part of one) as JSON on stdout. docs/guide/tune.md says more.
# 使用自己的命令评测：stdin 给出设置与负载的 JSON，stdout 输出汇总 JSON。
evaluate:
  command: ./measure.sh
  timeout: 1h

space:
  max_num_seqs: {from: 16, to: 512, step: 8}
  numa: [none, node0, node1]

load:
  concurrency: 256

objective: outputTokensPerSec
slo:
  - tpot.mean<50ms
budget:
  runs: 10
`;

const files: Readonly<Record<InitName, string>> = {
  mindie: mindie + ending,
  vllm: vllm + ending,
  sglang: sglang + ending,
  command,
};

/** A commented tune file to begin with. */
export function initFile(name: InitName): string {
  return files[name];
}
