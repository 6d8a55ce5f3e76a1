import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { refuseUnknown, type Issues, type JsonFile } from '@amodal/sdk/files'
import { applyEdits, modify } from 'jsonc-parser'
import { isPackageName } from './package-manifest.ts'
import { PART_FOLDERS } from './part-names.ts'

/** An item of `packages` in amodal.json. */
export interface NamedPackage {
  readonly name: string
  /** The parts to take, such as `connections.crm`; left out: all of them. */
  readonly use?: readonly string[]
  readonly line: number
}

const LAYOUT = { tabSize: 2, insertSpaces: true } as const
const FIX = 'write "name", or { "package": "name", "use": ["connections.crm"] }'

/** Reads `packages` of amodal.json; an item that cannot be used is an error with its line. */
export function readNamed(json: JsonFile<JsonObject>, issues: Issues): readonly NamedPackage[] {
  const raw = json.value
  const written = raw['packages']
  if (written === undefined) return []
  const refuse = (at: readonly (string | number)[], message: string, fix = FIX): [] => {
    issues.error('BAD_REPO', message, { file: json.file, line: json.lineOf(at), fix })
    return []
  }
  if (!isList(written)) return refuse(['packages'], '`packages` is no list')
  const seen = new Set<string>()
  return written.flatMap((item, index) => {
    const at = ['packages', index]
    const name = nameOf(item)
    if (name === undefined || !isPackageName(name))
      return refuse(at, `\`packages[${index}]\` names no package`)
    if (seen.has(name)) return refuse(at, `"${name}" is named twice`, 'keep one of them')
    seen.add(name)
    if (!isObject(item)) return [{ name, line: json.lineOf(at) }]
    refuseUnknown(json, at, ['package', 'use'], issues)
    const { use } = item
    if (use === undefined) return [{ name, line: json.lineOf(at) }]
    if (!isList(use) || !use.every((one) => typeof one === 'string' && isUse(one)))
      return refuse(
        [...at, 'use'],
        `\`packages[${index}].use\` names no parts`,
        'name them as in ["connections.crm", "skills.*"]',
      )
    return [{ name, use: use.filter((one) => typeof one === 'string'), line: json.lineOf(at) }]
  })
}

const nameOf = (item: Json): string | undefined => {
  const name = isObject(item) ? item['package'] : item
  return typeof name === 'string' ? name : undefined
}

const isUse = (text: string): boolean =>
  PART_FOLDERS.some((folder) => text.startsWith(`${folder}.`) && text.length > folder.length + 1)

/** The text of amodal.json with one more package. */
export function withNamed(text: string, name: string, named: readonly NamedPackage[]): string {
  if (named.some((one) => one.name === name)) return text
  const [path, value] = named.length === 0 ? [['packages'], [name]] : [['packages', -1], name]
  return applyEdits(
    text,
    modify(text, path, value, { formattingOptions: LAYOUT, isArrayInsertion: named.length > 0 }),
  )
}

/** The text of amodal.json without a package; without `packages` where it was the last one. */
export function withoutNamed(text: string, name: string, named: readonly NamedPackage[]): string {
  const at = named.findIndex((one) => one.name === name)
  if (at === -1) return text
  const path = named.length === 1 ? ['packages'] : ['packages', at]
  return applyEdits(text, modify(text, path, undefined, { formattingOptions: LAYOUT }))
}
