import type { ModelEndpoint } from '@amodal/sdk/model'

/** One chat-completions endpoint that is known by name. */
export interface Endpoint extends ModelEndpoint {
  /** `false`: no response schema, only JSON mode. */
  readonly structured?: boolean
  /** Where the endpoint takes another parameter than the common one; `null` where it refuses it. */
  readonly parameters?: Readonly<Record<string, string | null>>
  /** `false`: images of results are not sent, since none of its models takes them so. */
  readonly resultImages?: boolean
  /** Nothing but a reply may follow the results of calls. */
  readonly repliesToResults?: boolean
}

/** The endpoint for any `baseUrl`; also serves provider names that no other plugin provides. */
export const CUSTOM = 'openai-compatible'

/** Detection of a custom endpoint: both have to be set, `AMODAL_API_KEY` where it wants a key. */
export const CUSTOM_URL = 'AMODAL_BASE_URL'
export const CUSTOM_MODEL = 'AMODAL_MODEL'

/** What chat completions have parts for; sound is WAV or MP3 (`input_audio`). */
const CARRIED = ['image/*', 'video/*', 'audio/wav', 'audio/mpeg', 'application/pdf']

/** Sources: the API references of the providers. */
export const ENDPOINTS: readonly Endpoint[] = [
  { name: CUSTOM, envVar: 'AMODAL_API_KEY', rank: 0 },
  {
    name: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    envVar: 'GROQ_API_KEY',
    model: 'llama-3.3-70b-versatile',
    rank: 40,
  },
  {
    name: 'deepseek',
    baseUrl: 'https://api.deepseek.com/v1',
    envVar: 'DEEPSEEK_API_KEY',
    model: 'deepseek-chat',
    rank: 41,
    structured: false,
    resultImages: false,
    takes: [],
  },
  { name: 'xai', baseUrl: 'https://api.x.ai/v1', envVar: 'XAI_API_KEY', model: 'grok-4', rank: 42 },
  // Answers 422 to parameters it does not know; it reports usage without being asked.
  {
    name: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    envVar: 'MISTRAL_API_KEY',
    model: 'mistral-large-latest',
    rank: 43,
    parameters: { stream_options: null, seed: 'random_seed' },
    resultImages: false,
    repliesToResults: true,
  },
  {
    name: 'fireworks',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    envVar: 'FIREWORKS_API_KEY',
    model: 'accounts/fireworks/models/llama-v3p3-70b-instruct',
    rank: 44,
  },
  {
    name: 'together',
    baseUrl: 'https://api.together.xyz/v1',
    envVar: 'TOGETHER_API_KEY',
    model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    rank: 45,
  },
].map((endpoint) => ({ ...endpoint, lacks: ['thinking'] as const, carries: CARRIED }))
