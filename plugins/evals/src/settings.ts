import type { AgentBundle, JsonObject, ModelConfig } from '@amodal/sdk'
import { Issues, manifestFile, shaped, warnUnknown } from '@amodal/sdk/files'
import { z } from 'zod'
import { readModel } from './run/variants.ts'

const BLOCK = 'evals'
/** Under what `AgentBundle.parts` has them. */
const PART = 'evals-settings'

const model = z.string().regex(/^[^/]+\/.+/, { message: 'is no model: write "PROVIDER/MODEL"' })
const shape = z.looseObject({
  evals: z.looseObject({
    judge: model.exactOptional(),
    votes: z.int().min(1).max(9).exactOptional(),
    concurrency: z.int().min(1).max(64).exactOptional(),
    seconds: z.number().positive().max(86_400).exactOptional(),
    budget: z.number().positive().exactOptional(),
    real: z.array(z.string().min(1)).exactOptional(),
  }),
})
const NAMES = Object.keys(shape.shape.evals.shape)

/** `evals` of `amodal.json`. */
export interface EvalSettings {
  /** The model that judges; left out: another one than is tested, if there is one. */
  readonly judge?: ModelConfig
  /** Times that the judge is asked; more than half of them decide. */
  readonly votes: number
  /** Cases that run at the same time. */
  readonly concurrency: number
  /** Seconds that one case may take. */
  readonly seconds: number
  /** Dollars after which no further case of a run begins. */
  readonly budget?: number
  /** Tools that are called themselves in every case; `*` fits any characters. */
  readonly real: readonly string[]
}

const DEFAULTS: EvalSettings = { votes: 1, concurrency: 4, seconds: 300, real: [] }

/**
 * Reads `evals` of `amodal.json`; every problem is named with its line.
 *
 * @returns the bundle with its settings, or `undefined` where it has none
 */
export async function readSettings(bundle: AgentBundle): Promise<AgentBundle | undefined> {
  const block = bundle.manifest.raw['evals'] ?? null
  if (block === null) return undefined
  const issues = new Issues()
  const json = await manifestFile(bundle)
  warnUnknown(json, [BLOCK], NAMES, issues)
  const read = shaped(shape, json, [], issues)?.evals
  const judge = read?.judge === undefined ? undefined : readModel(read.judge, bundle)
  const settings = read && {
    ...DEFAULTS,
    ...Object.fromEntries(NAMES.flatMap((name) => (name in read ? [[name, read[name]]] : []))),
    judge,
  }
  const part = settings && (JSON.parse(JSON.stringify(settings)) as JsonObject)
  return {
    ...bundle,
    issues: [...bundle.issues, ...issues.sorted()],
    parts: { ...bundle.parts, ...(part && { [PART]: part }) },
  }
}

/** What `readSettings` has read, or the defaults. */
export const settingsOf = ({ parts }: Pick<AgentBundle, 'parts'>): EvalSettings =>
  (parts[PART] as unknown as EvalSettings | undefined) ?? DEFAULTS // written by `readSettings`
