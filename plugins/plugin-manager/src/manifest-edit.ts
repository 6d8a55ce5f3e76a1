import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  err,
  failure,
  messageOf,
  ok,
  tryAsync,
  type Failure,
  type Json,
  type Result,
} from '@amodal/sdk'
import { parseJson, MANIFEST_FILES } from '@amodal/sdk/files'
import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  modify,
  parseTree,
  type Node,
} from 'jsonc-parser'

const LAYOUT = { tabSize: 2, insertSpaces: true } as const

/** Edits the manifest of an agent and preserves its comments and layout. */
export class ManifestEdit {
  readonly file: string
  readonly before: string
  #text: string

  private constructor(file: string, text: string) {
    this.file = file
    this.before = text
    this.#text = text
  }

  /** @returns `NOT_FOUND` if there is none, `BAD_REPO` if it is not JSON */
  static async open(dir: string): Promise<Result<ManifestEdit, Failure>> {
    for (const name of MANIFEST_FILES) {
      const file = join(dir, name)
      const read = await tryAsync(() => readFile(file, 'utf8'), messageOf)
      if (!read.ok) continue
      const json = parseJson(read.value)
      if (json.ok) return ok(new ManifestEdit(file, read.value.replace(/^\uFEFF/, '')))
      const [{ line, column, message }] = json.error
      return err(
        failure('BAD_REPO', `${file}:${line}:${column}: ${message}; see \`amodal validate\``),
      )
    }
    return err(failure('NOT_FOUND', `there is no amodal.json in ${dir}; name the agent with --dir`))
  }

  /**
   * The items of `plugins` by the name each refers to; `undefined` for one that removes a plugin.
   */
  get named(): readonly (string | undefined)[] {
    const read = parseJson(this.#text)
    const manifest = read.ok ? read.value.value : undefined
    const list = isRecord(manifest) && Array.isArray(manifest['plugins']) ? manifest['plugins'] : []
    return list.map(nameOf)
  }

  /** Whether a plugin is listed although it is made for another kernel. */
  ignoresCompat(name: string): boolean {
    const item = this.#list().items[this.named.indexOf(name)]
    const value: unknown = item && getNodeValue(item)
    return isRecord(value) && value['ignoreCompat'] === true
  }

  add(name: string, config: Json | undefined, ignoreCompat = false): void {
    const short = config === undefined ? name : [name, config]
    const item = ignoreCompat
      ? { use: name, ...(config !== undefined && { config }), ignoreCompat }
      : short
    const { list, items } = this.#list()
    this.#text =
      list && items.length > 0
        ? appended(this.#text, list, items, JSON.stringify(item))
        : applyEdits(
            this.#text,
            modify(this.#text, ['plugins'], [item], { formattingOptions: LAYOUT }),
          )
  }

  /** @returns whether it was listed */
  remove(name: string): boolean {
    const at = this.named.indexOf(name)
    const { list, items } = this.#list()
    const item = items[at]
    if (!list || !item) return false
    this.#text = without(this.#text, list, items, at)
    return true
  }

  #list(): { readonly list: Node | undefined; readonly items: readonly Node[] } {
    const tree = parseTree(this.#text, [], { allowTrailingComma: true })
    const list = tree && findNodeAtLocation(tree, ['plugins'])
    return { list, items: list?.children ?? [] }
  }

  async save(): Promise<Result<void, Failure>> {
    return this.#write(this.#text)
  }

  async restore(): Promise<Result<void, Failure>> {
    return this.#write(this.before)
  }

  /**
   * Replaces the file atomically, so that a server that watches the folder never reads a partial
   * file.
   */
  #write(text: string): Promise<Result<void, Failure>> {
    const beside = `${this.file}.${process.pid}.tmp`
    return tryAsync(
      async () => {
        await writeFile(beside, text)
        await rename(beside, this.file)
      },
      (cause) =>
        failure('UNREADABLE', `${this.file} cannot be written: ${messageOf(cause)}`, { cause }),
    )
  }
}

// `modify` breaks the layout of a list, and the JSON where the last item of one line is taken out.

/** Appends an item to a list, on its own line if the other items have one. */
function appended(text: string, list: Node, items: readonly Node[], item: string): string {
  const last = endOf(items.at(-1))
  const close = endOf(list) - 1
  const comma = commaIn(text, last, close) === undefined ? ',' : ''
  const tail = text.slice(last, close).trimEnd()
  const isApart = text.slice(list.offset, close).includes('\n')
  const indent = isApart ? `\n${indentAt(text, items.at(-1)?.offset ?? 0)}` : ' '
  const rest = text.slice(last + tail.length)
  return `${text.slice(0, last)}${comma}${tail}${indent}${item}${rest}`
}

/** Removes an item with its comma, and its line if nothing else is on it. */
function without(text: string, list: Node, items: readonly Node[], at: number): string {
  const [start, end] = [items[at]?.offset ?? 0, endOf(items[at])]
  const behind = commaIn(text, end, items[at + 1]?.offset ?? endOf(list) - 1)
  const before = at === 0 ? undefined : commaIn(text, endOf(items[at - 1]), start)
  const cuts = [[start, end]]
  if (behind !== undefined) cuts.push([behind, behind + 1])
  else if (before !== undefined) cuts.unshift([before, before + 1])
  let out = ''
  let from = 0
  for (const [cut = 0, until = 0] of cuts) {
    out += text.slice(from, cut)
    from = until
  }
  const rest = text.slice(from)
  return /\n[ \t]*$/.test(out) && /^[ \t]*\r?\n/.test(rest)
    ? out.replace(/\r?\n[ \t]*$/, '') + rest
    : out + rest.replace(/^[ \t]+(?=\S)/, '')
}

/** Where a comma stands between two places, outside of comments. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  while (scanner.getPosition() < to) {
    scanner.scan()
    const [at, length] = [scanner.getTokenOffset(), scanner.getTokenLength()]
    if (text.slice(at, at + length) === ',') return at
    if (length === 0) return undefined
  }
  return undefined
}

const endOf = (node: Node | undefined): number => (node ? node.offset + node.length : 0)
const indentAt = (text: string, at: number): string =>
  /[ \t]*$/.exec(text.slice(text.lastIndexOf('\n', at) + 1, at))?.[0] ?? ''

function nameOf(item: unknown): string | undefined {
  const used: unknown = isRecord(item) ? item['use'] : item
  const name: unknown = Array.isArray(item) ? item[0] : used
  return typeof name === 'string' ? name : undefined
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
