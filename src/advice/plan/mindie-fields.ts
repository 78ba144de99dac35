/** What a field of MindIE's config.json may be. Ranges as MindIE-LLM validates them (8b4871ad, 2026-04-23) and its parameter page. */
export type FieldRule =
  | { kind: 'int'; min: number; max: number; required?: true; multipleOf?: number; also?: readonly number[] }
  | { kind: 'bool'; required?: true }
  | { kind: 'text'; required?: true; oneOf?: readonly string[]; maxChars?: number }
  | { kind: 'any' };

const int = (min: number, max: number): FieldRule => ({ kind: 'int', min, max });
const needInt = (min: number, max: number): FieldRule => ({ kind: 'int', min, max, required: true });
const bool: FieldRule = { kind: 'bool' };
const text: FieldRule = { kind: 'text' };
const any: FieldRule = { kind: 'any' };

const most = 2 ** 31 - 1;
const port = int(1024, 65535);

/** Every section of the file with the fields it knows. */
export const mindieSections = {
  '': {
    Version: text,
    ServerConfig: any,
    BackendConfig: any,
    LogConfig: any,
    LogParam: any,
    EnableDynamicAdjustTimeoutConfig: bool,
  },
  ServerConfig: {
    ipAddress: text,
    managementIpAddress: text,
    port,
    managementPort: port,
    metricsPort: port,
    allowAllZeroIpListening: bool,
    maxLinkNum: int(1, 4096),
    httpsEnabled: bool,
    fullTextEnabled: bool,
    inferMode: { kind: 'text', oneOf: ['standard', 'dmi'] },
    openAiSupport: text,
    tokenTimeout: int(1, 3600),
    e2eTimeout: int(1, 65535),
    maxRequestLength: int(1, 100),
    maxJsonDepth: int(10, 100),
    distDPServerEnabled: bool,
    HealthCheckConfig: any,
  },
  BackendConfig: {
    backendName: text,
    modelInstanceNumber: int(1, 10),
    npuDeviceIds: any,
    tokenizerProcessNumber: int(1, 32),
    multiNodesInferEnabled: bool,
    multiNodesInferPort: port,
    interNodeTLSEnabled: bool,
    kvPoolConfig: any,
    ModelDeployConfig: any,
    ScheduleConfig: any,
  },
  ModelDeployConfig: {
    maxSeqLen: needInt(1, most),
    maxInputTokenLen: int(1, 4_194_304),
    truncation: any,
    maxLoras: int(0, most),
    maxLoraRank: int(0, most),
    ModelConfig: any,
  },
  ModelConfig: {
    modelInstanceType: { kind: 'text', oneOf: ['Standard', 'StandardMock'] },
    modelName: { kind: 'text', required: true, maxChars: 256 },
    modelWeightPath: { kind: 'text', required: true },
    worldSize: needInt(1, 1_048_576),
    cpuMemSize: int(0, most),
    npuMemSize: { kind: 'int', min: 1, max: most, also: [-1] },
    backendType: { kind: 'text', oneOf: ['atb', 'torch', 'ms'] },
    trustRemoteCode: bool,
    async_scheduler_wait_time: any,
    kv_trans_timeout: any,
    kv_link_timeout: any,
    tp: any,
    dp: any,
    cp: any,
    sp: any,
    moe_tp: any,
    moe_ep: any,
    plugin_params: any,
    models: any,
    speculationGamma: any,
  },
  ScheduleConfig: {
    templateType: { kind: 'text', required: true, oneOf: ['Standard', 'Mix'] },
    templateName: { kind: 'text', required: true },
    cacheBlockSize: { kind: 'int', min: 1, max: 128, multipleOf: 16, required: true },
    maxPrefillBatchSize: needInt(0, 819_200),
    maxPrefillTokens: needInt(1, 4_194_304),
    prefillTimeMsPerReq: needInt(0, 1000),
    prefillPolicyType: needInt(0, 3),
    decodeTimeMsPerReq: needInt(0, 1000),
    decodePolicyType: needInt(0, 3),
    maxBatchSize: needInt(1, 819_200),
    maxIterTimes: needInt(1, most),
    maxPreemptCount: needInt(0, 819_200),
    supportSelectBatch: { kind: 'bool', required: true },
    maxQueueDelayMicroseconds: needInt(500, 1_000_000),
    maxFirstTokenWaitTime: int(0, 3_600_000),
    maxN: int(1, 8192),
    stageSelectPolicy: int(0, 2),
    dynamicBatchSizeEnable: bool,
    prefillExpectedTime: int(1, 10_000),
    decodeExpectedTime: int(1, 10_000),
    prefillChunkSize: int(1, 4_194_304),
    maxNumPartialPrefills: int(1, 64),
    maxLongPartialPrefills: int(1, 64),
    longPrefillTokenThreshold: int(1, 8192),
    splitChunkTokens: any,
    splitStartBatchSize: any,
    policyType: any,
    bufferResponseEnabled: bool,
    distributedEnable: bool,
    enablePrefixCache: any,
    enableSplit: any,
  },
  LogConfig: {
    logLevel: text,
    logFileSize: int(0, 500),
    logFileNum: int(0, 64),
    logPath: text,
    dynamicLogLevel: text,
    dynamicLogLevelValidHours: int(1, 168),
    dynamicLogLevelValidTime: text,
  },
} as const satisfies Record<string, Record<string, FieldRule>>;

/** Name of a section of the file. */
export type MindieSection = keyof typeof mindieSections;

/** Fields that only name files or keys; too many to list, none of them a matter of capacity. */
export const unlistedFields = /^(tls|managementTls|metricsTls|interComm|interNode|layerwise|kmc|openAi)/i;
