import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  err,
  isObject,
  messageOf,
  ok,
  tryAsync,
  type Failure,
  type Json,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { parseJson, MANIFEST_FILES } from '@amodal/sdk/files'
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser'
import { ChangeInvalid } from '../errors.ts'
import { changeText, type Change } from './change.ts'

type Of<K extends Change['kind']> = Extract<Change, { kind: K }>

const LAYOUT = { tabSize: 2, insertSpaces: true } as const

/** Values and where they belong; `undefined` removes what is there. */
type Fields = readonly (readonly [path: readonly string[], value: Json | undefined])[]

/** Merges settings into the manifest; the layout of the rest stays as it is. */
export const applySettings = (
  folder: string,
  change: Of<'settings'>,
): Promise<Result<void, Failure>> =>
  editManifest(folder, change, () => ok(leavesOf(change.settings)))

/** Names another main model in the manifest. */
export const applyModel = (folder: string, change: Of<'model'>): Promise<Result<void, Failure>> =>
  editManifest(folder, change, (manifest) => fieldsOfModel(change, manifest))

/** Each value of the settings with its path; an empty object replaces nothing of what is there. */
function leavesOf(settings: JsonObject, at: readonly string[] = []): Fields {
  return Object.entries(settings).flatMap(([name, value]): Fields => {
    const path = [...at, name]
    if (isObject(value) && Object.keys(value).length > 0) return leavesOf(value, path)
    return [[path, value === null ? undefined : value]]
  })
}

function fieldsOfModel(change: Of<'model'>, manifest: JsonObject): Result<Fields, Failure> {
  const models = isObject(manifest['models']) ? manifest['models'] : {}
  const main = isObject(models['main']) ? models['main'] : undefined
  // `provider` and `model` at the top are short for `models.main`.
  const isShort = !main && typeof manifest['provider'] === 'string'
  const before = main ?? (isShort ? manifest : {})
  const at = isShort ? [] : ['models', 'main']
  const [, provider, named] = /^([^/]+)\/(.+)$/.exec(change.model) ?? []
  const own = typeof before['provider'] === 'string' ? before['provider'] : undefined
  if (provider === undefined || named === undefined)
    return own === undefined
      ? err(
          ChangeInvalid(
            `${changeText(change)}: amodal.json names no provider; write model=PROVIDER/${change.model}`,
          ),
        )
      : ok([[[...at, 'model'], change.model]])
  if (provider === own) return ok([[[...at, 'model'], named]])
  const account = Object.values(models).find(
    (model): model is JsonObject => isObject(model) && model['provider'] === provider,
  )
  const model: JsonObject = {
    provider,
    model: named,
    ...(account && accountOf(account)),
  }
  if (!isShort) return ok([[at, model]])
  const old = ['baseUrl', 'apiKey', 'credentials', 'model'].map(
    (name) => [[name], undefined] as const,
  )
  return ok([...old, [['provider'], undefined], [['models', 'main'], model]])
}

/** Another model of the same account: its address and key are the same. */
const accountOf = (model: JsonObject): JsonObject =>
  Object.fromEntries(
    ['baseUrl', 'apiKey', 'credentials', 'headers'].flatMap((name) => {
      const value = model[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

async function editManifest(
  folder: string,
  change: Change,
  fieldsOf: (manifest: JsonObject) => Result<Fields, Failure>,
): Promise<Result<void, Failure>> {
  for (const name of MANIFEST_FILES) {
    const file = join(folder, name)
    const read = await tryAsync(() => readFile(file, 'utf8'), messageOf)
    if (!read.ok) continue
    const json = parseJson(read.value)
    if (!json.ok) {
      const [{ column, line, message }] = json.error
      return err(ChangeInvalid(`${changeText(change)}: ${name}:${line}:${column}: ${message}`))
    }
    const { value } = json.value
    const fields = isObject(value) ? fieldsOf(value) : ok([])
    if (!fields.ok) return fields
    await writeFile(file, edited(read.value, fields.value))
    return ok(undefined)
  }
  return err(ChangeInvalid(`${changeText(change)}: the folder has no amodal.json`))
}

/** What stands there already is replaced on its line: the other lines stay where they are. */
const edited = (text: string, fields: Fields): string =>
  fields.reduce((current, [path, value]) => {
    const tree = parseTree(current)
    const isThere = value !== undefined && tree && findNodeAtLocation(tree, [...path])
    const options = isThere ? {} : { formattingOptions: LAYOUT }
    return applyEdits(current, modify(current, [...path], value, options))
  }, text)
