/**
 * Names of the OpenTelemetry conventions for generative AI, which still change between versions.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
export const SEMCONVS = ['latest', '1.41', '1.36'] as const
export type Semconv = (typeof SEMCONVS)[number]

/** The names that differ between versions; `undefined` where a version has none. */
export interface VersionedNames {
  readonly provider: string
  readonly cacheRead: string | undefined
  readonly cacheWrite: string | undefined
  /** Whether `invoke_agent` names the provider. */
  readonly agentProvider: boolean
  /** Whether it has attributes for messages, arguments and results. */
  readonly content: boolean
  readonly metrics: MetricNames
}

/** Instruments of one version; `undefined` where it has none. */
export interface MetricNames {
  readonly inferenceDuration: string
  readonly timeToFirstChunk: string | undefined
  /** Counters of tokens by kind. */
  readonly usage: UsageNames | undefined
  /** One histogram of tokens, with the kind as attribute. */
  readonly tokenUsage: string | undefined
  readonly agentDuration: string | undefined
  readonly toolDuration: string | undefined
  readonly inferenceCalls: string | undefined
  readonly toolCalls: string | undefined
}
export interface UsageNames {
  readonly input: string
  readonly output: string
  readonly cacheRead: string
  readonly cacheWrite: string
  readonly reasoning: string
}

const LATEST_METRICS: MetricNames = {
  inferenceDuration: 'gen_ai.client.inference.duration',
  timeToFirstChunk: 'gen_ai.client.inference.time_to_first_chunk',
  usage: {
    input: 'gen_ai.client.inference.usage.input_tokens',
    output: 'gen_ai.client.inference.usage.output_tokens',
    cacheRead: 'gen_ai.client.inference.usage.cache_read.input_tokens',
    cacheWrite: 'gen_ai.client.inference.usage.cache_write.input_tokens',
    reasoning: 'gen_ai.client.inference.usage.reasoning.output_tokens',
  },
  tokenUsage: undefined,
  agentDuration: 'gen_ai.invoke_agent.duration',
  toolDuration: 'gen_ai.execute_tool.duration',
  inferenceCalls: 'gen_ai.invoke_agent.inference_calls',
  toolCalls: 'gen_ai.invoke_agent.tool_calls',
}
const EARLIER_METRICS: MetricNames = {
  inferenceDuration: 'gen_ai.client.operation.duration',
  timeToFirstChunk: undefined,
  usage: undefined,
  tokenUsage: 'gen_ai.client.token.usage',
  agentDuration: undefined,
  toolDuration: undefined,
  inferenceCalls: undefined,
  toolCalls: undefined,
}

const VERSIONS: Readonly<Record<Semconv, VersionedNames>> = {
  latest: {
    provider: 'gen_ai.provider.name',
    cacheRead: 'gen_ai.usage.cache_read.input_tokens',
    cacheWrite: 'gen_ai.usage.cache_write.input_tokens',
    agentProvider: false,
    content: true,
    metrics: LATEST_METRICS,
  },
  '1.41': {
    provider: 'gen_ai.provider.name',
    cacheRead: 'gen_ai.usage.cache_read.input_tokens',
    cacheWrite: 'gen_ai.usage.cache_creation.input_tokens',
    agentProvider: true,
    content: true,
    metrics: {
      ...EARLIER_METRICS,
      timeToFirstChunk: 'gen_ai.client.operation.time_to_first_chunk',
    },
  },
  '1.36': {
    provider: 'gen_ai.system',
    cacheRead: undefined,
    cacheWrite: undefined,
    agentProvider: true,
    content: false,
    metrics: EARLIER_METRICS,
  },
}

export const namesOf = (semconv: Semconv): VersionedNames => VERSIONS[semconv]

/** Names that all versions share, and our own (`amodal.*`). */
export const NAMES = {
  operation: 'gen_ai.operation.name',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  seed: 'gen_ai.request.seed',
  maxTokens: 'gen_ai.request.max_tokens',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  tool: 'gen_ai.tool.name',
  toolCall: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  prompt: 'gen_ai.prompt.name',
  mcpMethod: 'mcp.method.name',
  mcpProtocol: 'mcp.protocol.version',
  mcpSession: 'mcp.session.id',
  networkTransport: 'network.transport',
  error: 'error.type',
  tenant: 'amodal.tenant.id',
  run: 'amodal.run.id',
  bundle: 'amodal.bundle.hash',
  step: 'amodal.step',
  attempt: 'amodal.attempt',
  aside: 'amodal.aside',
  reason: 'amodal.run.reason',
  resumed: 'amodal.run.resumed',
  parked: 'amodal.run.parked',
  readOnly: 'amodal.tool.read_only',
  verdict: 'amodal.guard.verdict',
  verdictReasons: 'amodal.guard.reasons',
  tokenType: 'gen_ai.token.type',
  runState: 'amodal.run.state',
  queue: 'amodal.queue.name',
  jobState: 'amodal.job.state',
} as const

/** Our own instruments, beside those of the conventions. */
export const METRICS = {
  sessionsOwned: 'amodal.sessions.owned',
  sessionsResident: 'amodal.sessions.resident',
  activeRuns: 'amodal.runs.active',
  inboxWaiting: 'amodal.inbox.waiting',
  queueJobs: 'amodal.queue.jobs',
  runs: 'amodal.runs',
  runsResumed: 'amodal.runs.resumed',
  runsSetAside: 'amodal.runs.set_aside',
  takeovers: 'amodal.takeovers',
  verdicts: 'amodal.guard.verdicts',
  cost: 'amodal.cost.dollars',
} as const

/** Provider names of the conventions, where ours differ. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
}

export const providerName = (provider: string): string => PROVIDERS[provider] ?? provider
