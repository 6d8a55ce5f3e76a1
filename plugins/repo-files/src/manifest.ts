import { isList, isObject, type JsonObject, type Manifest, type ModelConfig } from '@amodal/sdk'
import {
  type Issues,
  type JsonFile,
  type Path,
  pathText,
  shaped,
  valueAt,
  warnUnknown,
} from '@amodal/sdk/files'
import { z } from 'zod'
import { readLimits, readResults, TOP_LIMITS } from './limits.ts'
import { BLOCKS, checkBlocks } from './manifest-blocks.ts'
import { checkProvider, missingProvider, withFullModels } from './model-names.ts'

const TIERS = ['main', 'explore', 'simple', 'advanced'] as const
/** What not every provider has; those that have it get it. */
const SETTINGS = ['topP', 'seed', 'effort', 'thinking', 'responseSchema', 'strictTools', 'takes']
const MODEL_FIELDS = [
  'provider',
  'model',
  'baseUrl',
  'apiKey',
  'credentials',
  'headers',
  'temperature',
  'maxTokens',
  'contextWindow',
  'profiles',
  'fallback',
  ...SETTINGS,
]
const PROFILE_FIELDS = ['name', 'apiKey', 'baseUrl', 'headers']

/**
 * Top-level fields of the format; those not read here stay in `raw` for the plugins that own them.
 */
export const MANIFEST_FIELDS: readonly string[] = [
  '$schema',
  'name',
  'version',
  'description',
  'userContext',
  'models',
  'limits',
  'provider',
  'model',
  'baseUrl',
  'apiKey',
  'credentials',
  'providers',
  'retries',
  'backoffMs',
  'stores',
  'plugins',
  'packages',
  'preset',
  'runtime',
  ...BLOCKS,
  ...TOP_LIMITS,
]

/** Names that other engines have for a field, and where it stands here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  instructions: 'write them into agents/main/AGENT.md, or a short text into `userContext`',
  web_search: 'configure a search in `webTools`',
  webSearch: 'configure a search in `webTools`',
  system_prompt: 'write it into agents/main/AGENT.md',
  systemPrompt: 'write it into agents/main/AGENT.md',
}

const text = z.string().min(1)
const count = z.int().positive()
const isReference = (value: string): boolean => value.startsWith('env:')
const address = text.refine(
  (value) => isReference(value) || /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
  {
    error: 'is no http or https address',
    params: { fix: 'write it as in https://models.example.com/v1' },
  },
)

const model = z.looseObject({
  provider: text,
  model: text,
  baseUrl: address.exactOptional(),
  apiKey: text.exactOptional(),
  credentials: z.looseObject({ api_key: text.exactOptional() }).exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  temperature: z.number().min(0).exactOptional(),
  maxTokens: count.exactOptional(),
  contextWindow: count.exactOptional(),
  topP: z.number().min(0).max(1).exactOptional(),
  seed: z.int().exactOptional(),
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).exactOptional(),
  thinking: count.exactOptional(),
  responseSchema: z.record(z.string(), z.unknown()).exactOptional(),
  strictTools: z.boolean().exactOptional(),
  takes: z
    .array(
      text.regex(/^(\*\/\*|[a-z]+\/(\*|[a-z0-9.+-]+))$/, {
        error: 'is no type of files',
      }),
    )
    .exactOptional(),
  profiles: z
    .array(
      z.looseObject({
        name: text,
        apiKey: text.exactOptional(),
        baseUrl: address.exactOptional(),
        headers: z.record(z.string(), z.string()).exactOptional(),
      }),
    )
    .exactOptional(),
  get fallback() {
    return model.exactOptional()
  },
})

const failover = {
  providers: z.array(text).min(1).exactOptional(),
  retries: z.int().min(0).max(10).exactOptional(),
  backoffMs: z.int().min(1).max(60_000).exactOptional(),
}

/** https://semver.org */
const SEMANTIC_VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/

/** What the manifest itself reads of its file. */
export const manifestShape = z.looseObject({
  name: text,
  version: text
    .refine((value) => SEMANTIC_VERSION.test(value), {
      error: 'is no semantic version',
      params: { fix: 'write it as in 1.2.0, or 1.2.0-beta.1' },
    })
    .default('0.0.0'),
  description: z.string().exactOptional(),
  userContext: z.string().exactOptional(),
  models: z
    .looseObject({
      main: model.exactOptional(),
      explore: model.exactOptional(),
      simple: model.exactOptional(),
      advanced: model.exactOptional(),
      // It is wired as the plugin of that name, which reads the rest.
      embeddings: z
        .union([text, z.looseObject({ provider: text.exactOptional(), model: text })])
        .exactOptional(),
    })
    .default({}),
  limits: z.looseObject({}).default({}),
  ...failover,
})

/**
 * Reads the manifest. `provider` and `model` at the top are short for `models.main`.
 *
 * @param known providers of models; left out: nobody knows which there are
 */
export function readManifest(
  written: JsonFile<JsonObject>,
  issues: Issues,
  known: readonly string[] = [],
): Manifest | undefined {
  const json = withFullModels(written, TIERS)
  for (const [name, fix] of Object.entries(ELSEWHERE)) {
    if (json.value[name] !== undefined)
      issues.error('BAD_REPO', `\`${name}\` is no field here`, {
        file: json.file,
        line: json.lineOf([name]),
        fix,
      })
  }
  warnUnknown(json, [], [...MANIFEST_FIELDS, ...Object.keys(ELSEWHERE)], issues)
  warnUnknown(json, ['models'], [...TIERS, 'embeddings'], issues)
  const unowned = TIERS.filter((tier) => checkModelFields(json, ['models', tier], known, issues))

  const short = readShortForm(json, known, issues)
  const read = unowned.length > 0 ? undefined : shaped(manifestShape, json, [], issues)
  const limits = readLimits(json, issues)
  const blocks = checkBlocks(json, issues)
  const results = blocks ? readResults(json, issues) : undefined
  if (!read || !limits || !results || short === 'invalid') return undefined
  const { name, version, description, userContext, models, providers, retries, backoffMs } = read
  const isChain = json.value['provider'] === 'failover' && models.main === undefined
  const tiers = TIERS.flatMap((tier) => {
    const config = models[tier] ?? (tier === 'main' ? short : undefined)
    return config ? [[tier, modelConfig(config)] as const] : []
  })
  return {
    name,
    version,
    ...(description !== undefined && { description }),
    ...(userContext !== undefined && { userContext }),
    models: Object.fromEntries(tiers),
    limits,
    ...results,
    ...((isChain || retries !== undefined || backoffMs !== undefined) && {
      failover: {
        ...(isChain && providers && { providers }),
        ...(retries !== undefined && { retries }),
        ...(backoffMs !== undefined && { backoffMs }),
      },
    }),
    raw: written.value,
  }
}

/** `{ "provider": …, "model": … }` at the top, as older manifests have it. */
function readShortForm(
  json: JsonFile<JsonObject>,
  providers: readonly string[],
  issues: Issues,
): z.output<typeof model> | 'invalid' | undefined {
  const { value, file } = json
  if (value['provider'] === undefined && value['model'] === undefined) return undefined
  const isChain = value['provider'] === 'failover'
  if (isChain && value['providers'] === undefined) {
    issues.warn(
      'BAD_REPO',
      '`provider` "failover" names no providers; one is chosen by the keys that are set',
      {
        file,
        line: json.lineOf(['provider']),
        fix: 'name them, as in "providers": ["anthropic", "openai"]',
      },
    )
    return undefined
  }
  if (isObject(valueAt(value, ['models', 'main']))) {
    issues.warn(
      'BAD_REPO',
      `\`models.main\` counts, and \`provider\` and ${isChain ? '`providers`' : '`model`'} at the top are not read`,
      { file, line: json.lineOf(['provider']), fix: 'remove one of the two' },
    )
    return undefined
  }
  if (isChain) return undefined
  checkKey(json, [], issues)
  checkProvider(json, [], providers, issues)
  if (missingProvider(json, [], providers, issues)) return 'invalid'
  return shaped(model, json, [], issues) ?? 'invalid'
}

/** @returns whether its provider is missing */
function checkModelFields(
  json: JsonFile,
  at: Path,
  providers: readonly string[],
  issues: Issues,
): boolean {
  if (!isObject(valueAt(json.value, at))) return false
  checkProvider(json, at, providers, issues)
  warnUnknown(json, at, MODEL_FIELDS, issues)
  checkKey(json, at, issues)
  const profiles = valueAt(json.value, [...at, 'profiles'])
  for (const index of isList(profiles) ? profiles.keys() : []) {
    warnUnknown(json, [...at, 'profiles', index], PROFILE_FIELDS, issues)
    checkKey(json, [...at, 'profiles', index], issues)
  }
  const isMissing = missingProvider(json, at, providers, issues)
  return checkModelFields(json, [...at, 'fallback'], providers, issues) || isMissing
}

/** A key in a file that is checked in is a key that is given away. */
function checkKey(json: JsonFile, at: Path, issues: Issues): void {
  for (const path of [
    [...at, 'apiKey'],
    [...at, 'credentials', 'api_key'],
  ]) {
    const key = valueAt(json.value, path)
    if (typeof key !== 'string' || isReference(key)) continue
    issues.warn('BAD_REPO', `\`${pathText(path)}\` holds the key itself`, {
      file: json.file,
      line: json.lineOf(path),
      fix: 'put it into .env and write "env:NAME" here',
    })
  }
}

function modelConfig(read: z.output<typeof model>): ModelConfig {
  const {
    provider,
    model: id,
    baseUrl,
    headers,
    temperature,
    maxTokens,
    topP,
    seed,
    effort,
    thinking,
    responseSchema,
    strictTools,
    takes,
    profiles,
    fallback,
  } = read
  const apiKey = read.apiKey ?? read.credentials?.api_key
  return {
    provider,
    model: id,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(headers && { headers }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed }),
    ...(effort !== undefined && { effort }),
    ...(thinking !== undefined && { thinking }),
    ...(responseSchema && { responseSchema: responseSchema as JsonObject }),
    ...(strictTools !== undefined && { strictTools }),
    ...(takes && { takes }),
    ...(profiles && {
      profiles: profiles.map(({ name, apiKey: key, baseUrl: url, headers: sent }) => ({
        name,
        ...(key !== undefined && { apiKey: key }),
        ...(url !== undefined && { baseUrl: url }),
        ...(sent && { headers: sent }),
      })),
    }),
    ...(fallback && { fallback: modelConfig(fallback) }),
  }
}
