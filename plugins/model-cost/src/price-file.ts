import { realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import {
  type AgentBundle,
  type BundleFile,
  isObject,
  type Json,
  type JsonObject,
  tryAsync,
} from '@amodal/sdk'
import {
  Issues,
  type JsonFile,
  mountOf,
  readJsonObject,
  readOwnFile,
  warnUnknown,
} from '@amodal/sdk/files'
import type { Price } from './prices.ts'

/** Beside amodal.json. */
export const PRICE_FILE = 'prices.json'
const PART = 'model-cost'
/** Bytes. */
const MOST = 1_048_576
const FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const

/**
 * Reads the agent's own prices. An invalid line is reported with its number; the others count.
 */
export async function withPrices(bundle: AgentBundle): Promise<AgentBundle | undefined> {
  const issues = new Issues()
  // A file that exists but was not loaded has an issue of its own already.
  const isTold =
    bundle.held?.paths.includes(PRICE_FILE) === true ||
    bundle.issues.some(({ file: about }) => about === PRICE_FILE)
  const file =
    bundle.files.find(({ path }) => path === PRICE_FILE) ??
    (isTold ? undefined : await fileIn(bundle.root, issues))
  const json = file && readJsonObject(file, issues)
  const prices =
    json &&
    Object.fromEntries(
      Object.keys(json.value).flatMap((model) => {
        const price = readPrice(json, model, issues)
        return price ? [[model, price]] : []
      }),
    )
  const found = issues.sorted()
  if (!prices && found.length === 0) return undefined
  return {
    ...bundle,
    ...(prices && { parts: { ...bundle.parts, [PART]: prices } }),
    issues: [...bundle.issues, ...found],
  }
}

function readPrice(
  json: JsonFile<JsonObject>,
  model: string,
  issues: Issues,
): JsonObject | undefined {
  const { file, value } = json
  const given = value[model]
  if (!isObject(given)) {
    issues.error('BAD_REPO', `the price of \`${model}\` is no object`, {
      file,
      line: json.lineOf([model]),
      fix: 'write { "input": …, "output": … }, in dollars for a million tokens',
    })
    return undefined
  }
  warnUnknown(json, [model], FIELDS, issues)
  const wrong = FIELDS.filter(
    (field) =>
      !(isPrice(given[field]) || (given[field] === undefined && field.startsWith('cache'))),
  )
  for (const field of wrong) {
    const message =
      given[field] === undefined
        ? `the price of \`${model}\` has no \`${field}\``
        : `\`${field}\` of \`${model}\` is no price`
    issues.error('BAD_REPO', message, {
      file,
      line: json.lineOf([model, field]),
      fix: `write dollars for a million tokens, as in "${field}": 2.5`,
    })
  }
  return wrong.length > 0
    ? undefined
    : Object.fromEntries(
        FIELDS.flatMap((field) => (given[field] === undefined ? [] : [[field, given[field]]])),
      )
}

const isPrice = (value: Json | undefined): value is number =>
  typeof value === 'number' && value >= 0 && value <= 1_000_000

/** What {@link withPrices} has read. */
export function priceFileOf({ parts }: AgentBundle): Readonly<Record<string, Price>> {
  // each was looked at when it was read
  return (parts[PART] ?? {}) as unknown as Readonly<Record<string, Price>>
}

async function fileIn(root: string | undefined, issues: Issues): Promise<BundleFile | undefined> {
  if (root === undefined) return undefined
  const read = await tryAsync(
    async () => {
      const real = await realpath(join(root, PRICE_FILE))
      if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
        return 'the link leads out of the agent folder and is not followed'
      const file = await readOwnFile(await mountOf(root), real, MOST)
      if (file.kind === 'elsewhere') return file.why
      return file.kind === 'large'
        ? `the file has ${file.size} bytes, more than the ${MOST} allowed`
        : { path: PRICE_FILE, text: file.bytes.toString() }
    },
    (cause) => cause,
  )
  if (read.ok && typeof read.value !== 'string') return read.value
  if (!read.ok && isMissing(read.error)) return undefined
  issues.error(
    'UNREADABLE',
    read.ok && typeof read.value === 'string' ? read.value : 'cannot be read',
    { file: PRICE_FILE, fix: 'make it a readable file in the agent folder' },
  )
  return undefined
}

const isMissing = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
