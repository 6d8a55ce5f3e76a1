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
}

const VERSIONS: Readonly<Record<Semconv, VersionedNames>> = {
  latest: {
    provider: 'gen_ai.provider.name',
    cacheRead: 'gen_ai.usage.cache_read.input_tokens',
    cacheWrite: 'gen_ai.usage.cache_write.input_tokens',
    agentProvider: false,
  },
  '1.41': {
    provider: 'gen_ai.provider.name',
    cacheRead: 'gen_ai.usage.cache_read.input_tokens',
    cacheWrite: 'gen_ai.usage.cache_creation.input_tokens',
    agentProvider: true,
  },
  '1.36': {
    provider: 'gen_ai.system',
    cacheRead: undefined,
    cacheWrite: undefined,
    agentProvider: true,
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
} as const

/** Provider names of the conventions, where ours differ. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
}

export const providerName = (provider: string): string => PROVIDERS[provider] ?? provider
