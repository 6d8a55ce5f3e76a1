import type { BundleFile, StoreDefinition, StoreFailureHandling, StoreField } from '@amodal/sdk'
import {
  partPath,
  type Issues,
  readJsonObject,
  shaped,
  TAKEN_FIX,
  takenMessage,
  TakenNames,
  warnUnknown,
} from '@amodal/sdk/files'
import { storeTools } from '@amodal/sdk/stores'
import { unfoldedStore } from './flat-store.ts'
import { checkFields, checkKey } from './store-fields.ts'
import { warnOfUnknownRefs, withoutCycles, type ReadStore } from './store-refs.ts'
import { STORE_FIELDS, storeShape } from './store-shape.ts'
import { readSeed } from './store-seed.ts'
import { readTtlRules } from './store-ttl.ts'

const DEFINITION = /^stores\/([^/]+)\.json$/i
const SEED = /^stores\/([^/]+)\.seed\.json$/i

// `store_<name>_batch` must fit into the 64 characters of a tool's name.
const STORE_NAME = /^[A-Za-z0-9][\w-]{0,51}$/

export const isStoreFile = (path: string): boolean => DEFINITION.test(partPath(path))

/**
 * Reads the definitions below `stores/` with their seed documents; one that does not fit is left
 * out.
 */
export function readStores(
  files: readonly BundleFile[],
  issues: Issues,
): readonly StoreDefinition[] {
  const definitions = files.filter(
    ({ path }) => DEFINITION.test(partPath(path)) && !SEED.test(partPath(path)),
  )
  const read = withoutCycles(
    withOwnTools(
      definitions.flatMap((file) => readStore(file, issues) ?? []),
      issues,
    ),
    issues,
  )
  warnOfUnknownRefs(read, issues)

  const seeds = new Map(
    files.flatMap((file) => {
      const name = SEED.exec(partPath(file.path))?.[1]
      return name === undefined ? [] : [[name, file] as const]
    }),
  )
  const stores = read.map(({ store }) => {
    const file = baseOf(store.file)
    const seed = seeds.get(file) ?? seeds.get(store.name)
    if (!seed) return store
    seeds.delete(baseOf(seed.path))
    return { ...store, seed: readSeed(seed, store, issues) }
  })
  for (const [name, { path }] of seeds) {
    issues.error(
      'BAD_REPO',
      `these documents belong to no store that could be read, and are left out`,
      { file: path, line: 1, fix: `correct or add stores/${name}.json` },
    )
  }
  return stores
}

function readStore(source: BundleFile, issues: Issues): ReadStore | undefined {
  const written = readJsonObject(source, issues)
  if (!written) return undefined
  const before = issues.errors
  const unfolded = unfoldedStore(written, issues)
  if (!unfolded) return undefined
  const { json, deletable } = unfolded
  warnUnknown(json, [], STORE_FIELDS, issues)
  warnUnknown(json, ['entity'], ['name', 'description', 'key', 'schema'], issues)
  warnUnknown(json, ['failure'], ['mode', 'retries', 'backoff', 'deadLetter'], issues)
  warnUnknown(json, ['ttl_conditional'], ['default', 'override'], issues)

  const read = shaped(storeShape, json, [], issues)
  if (!read) return undefined
  const { entity, failure, history, shared, trace, ttl_conditional: conditional } = read
  const schema: Readonly<Record<string, StoreField>> = entity.schema
  checkFields(schema, json, ['entity', 'schema'], issues)
  checkKey(entity.key, schema, json, issues)
  if (trace === true) checkReasons(schema, json, issues)
  const rules = conditional
    ? readTtlRules(conditional, { name: '', key: entity.key, schema }, json, issues)
    : []
  const name = read.name ?? baseOf(source.path)
  if (!STORE_NAME.test(name)) {
    issues.error('BAD_REPO', `"${name}" cannot be the name of a store`, {
      file: source.path,
      line: json.lineOf(['name']),
      fix: 'use up to 52 letters, digits, - and _, as in active-alerts',
    })
  }
  if (issues.errors > before) return undefined

  const ttl = read.ttl ?? conditional?.default
  const store: StoreDefinition = {
    name,
    ...(read.description !== undefined && { description: read.description }),
    entity: { name: entity.name ?? name, key: entity.key, schema },
    ...(ttl !== undefined && { ttl }),
    ...(rules.length > 0 && { ttlRules: rules }),
    ...(failure && { failure: failureOf(failure) }),
    ...(history && { history: { versions: history.versions } }),
    ...(shared !== undefined && { shared }),
    ...(trace !== undefined && { trace }),
    ...(deletable !== undefined && { deletable }),
    raw: written.value,
    file: source.path,
  }
  return { store, json }
}

/** The parameter in which the agent says why it writes, where a store has `trace`. */
const REASONING = '_reasoning'

/** The reasons and a field of that name would be one parameter. */
function checkReasons(
  schema: Readonly<Record<string, StoreField>>,
  json: ReadStore['json'],
  issues: Issues,
): void {
  if (!Object.hasOwn(schema, REASONING)) return
  issues.error(
    'BAD_REPO',
    `the field "${REASONING}" has the name of the parameter in which the agent says why it writes`,
    {
      file: json.file,
      line: json.lineOf(['entity', 'schema', REASONING]),
      fix: 'give the field another name, or remove "trace"',
    },
  )
}

const failureOf = ({
  mode,
  retries,
  backoff,
  deadLetter,
}: StoreFailureHandling): StoreFailureHandling => ({
  mode,
  ...(retries !== undefined && { retries }),
  ...(backoff !== undefined && { backoff }),
  ...(deadLetter !== undefined && { deadLetter }),
})

/** `a-b` and `a_b` would both make the tool `store_a_b`, `a` and `a-batch` both `store_a_batch`. */
function withOwnTools(read: readonly ReadStore[], issues: Issues): readonly ReadStore[] {
  const names = new TakenNames()
  return read.filter(({ store: { name, file }, json }) => {
    const taken = names.take(Object.values(storeTools(name)), file)
    if (taken)
      issues.error('DUPLICATE_NAME', takenMessage(`the store "${name}"`, taken), {
        file,
        line: json.lineOf(['name']),
        fix: TAKEN_FIX,
      })
    return taken === undefined
  })
}

const baseOf = (path: string): string => path.replace(/^.*\//, '').replace(/(\.seed)?\.json$/i, '')
