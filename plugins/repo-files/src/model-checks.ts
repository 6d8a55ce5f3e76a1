import {
  chooseModel,
  deadline,
  messageOf,
  Models,
  providerOf,
  Tools,
  tryAsync,
  trySync,
  within,
  type AgentBundle,
  type BundleIssue,
  type Generation,
  type LanguageModel,
  type ModelConfig,
  type ToolSchema,
} from '@amodal/sdk'

/** How long a model may take for one word, ms. */
const ANSWER_MS = 30_000
/** Models that think count their thoughts. */
const MAX_TOKENS = 64

interface Named {
  readonly at: string
  readonly config: ModelConfig
}

/**
 * Whether the agent's models can be asked: their providers are there, and their keys are set.
 *
 * @param ask each model for one word, which costs a few tokens: only that shows that a key works
 */
export async function checkModels(
  bundle: AgentBundle,
  generation: Generation,
  ask: boolean,
  signal: AbortSignal,
): Promise<readonly BundleIssue[]> {
  if (generation.registry(Models).size === 0) return []
  const tools = toolsOf(bundle, generation)
  const found = await Promise.all(
    modelsOf(bundle, generation, ask).map(
      async ({ at, config }): Promise<readonly BundleIssue[]> => {
        const { provider, model: id } = config
        const opened = providerOf(generation, config)
        const model = opened.ok ? opened.value.model(config) : opened
        // Who checks an agent need not be who runs it: a key that is missing here is no mistake of
        // its files.
        // A provider that nobody has is told of where the manifest is read.
        if (!opened.ok && !ask) return []
        if (!model.ok)
          return [
            {
              severity: ask ? 'error' : 'warning',
              code: model.error.code,
              message: `\`${at}\` cannot be asked: ${model.error.message}`,
              file: 'amodal.json',
              fix: fixOf(model.error.code),
            },
          ]
        const lost = opened.ok ? (opened.value.check?.(config, tools) ?? []) : []
        const warnings = lost.map((problem): BundleIssue => ({
          severity: 'warning',
          code: 'MODEL_UNSUPPORTED',
          message: `\`${at}\`: ${problem}`,
          file: 'amodal.json',
          fix: 'remove the setting, change the tool, or name a model that has it',
        }))
        const failed = ask ? await failureOf(model.value, signal) : undefined
        return failed === undefined
          ? warnings
          : [
              ...warnings,
              {
                severity: 'error',
                code: 'MODEL_FAILED',
                message: `\`${at}\` (${provider}/${id}) does not answer: ${failed}`,
                file: 'amodal.json',
                fix: 'check the name of the model, its key and its address',
              },
            ]
      },
    ),
  )
  return found.flat()
}

/**
 * The tools that are known without a connection to anything: sources with a `revision` have theirs
 * from elsewhere, and asking them begins to connect. A source that fails is told of elsewhere.
 */
function toolsOf(bundle: AgentBundle, generation: Generation): readonly ToolSchema[] {
  return [...generation.registry(Tools).values()]
    .filter((source) => !('revision' in source))
    .flatMap((source) => {
      const made = trySync(() => source.tools(bundle), messageOf)
      return made.ok ? made.value : []
    })
    .filter(({ hidden }) => hidden !== true)
    .map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      inputSchema: parameters,
    }))
}

const fixOf = (code: string): string =>
  code === 'ENV_NOT_SET'
    ? 'set it in the environment, or in .env beside amodal.json'
    : 'correct `provider`, or set its `baseUrl`'

/**
 * Each model that may come to be asked, with every credential of it; where none is named, the one
 * that is found, if it is to be asked.
 */
function modelsOf(bundle: AgentBundle, generation: Generation, ask: boolean): readonly Named[] {
  const named = Object.entries(bundle.manifest.models).flatMap(([tier, config]) =>
    chainOf(`models.${tier}`, config),
  )
  if (named.length > 0 || !ask) return named
  const found = chooseModel(generation, bundle, 'main')
  return found ? [{ at: 'the model that was found', config: found }] : []
}

function chainOf(at: string, config: ModelConfig): readonly Named[] {
  const { profiles = [], fallback, ...own } = config
  return [
    { at, config: own },
    ...profiles.map(({ name, ...profile }): Named => ({
      at: `${at}.profiles: ${name}`,
      config: { ...own, ...profile },
    })),
    ...(fallback ? chainOf(`${at}.fallback`, fallback) : []),
  ]
}

/** Why it does not answer; `undefined` where it does. */
async function failureOf(model: LanguageModel, signal: AbortSignal): Promise<string | undefined> {
  const limit = deadline(signal, ANSWER_MS)
  const answered = await tryAsync(
    () => within(firstFault(model, limit.signal), limit.signal),
    messageOf,
  )
  limit.clear()
  return answered.ok ? answered.value : answered.error
}

async function firstFault(model: LanguageModel, signal: AbortSignal): Promise<string | undefined> {
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Answer with the word "ready".' }] }],
    maxOutputTokens: MAX_TOKENS,
    abortSignal: signal,
  })
  for await (const part of stream) {
    if (part.type === 'error')
      return part.error instanceof Error ? part.error.message : JSON.stringify(part.error)
    if (part.type === 'finish') return undefined
  }
  return 'its answer broke off'
}
