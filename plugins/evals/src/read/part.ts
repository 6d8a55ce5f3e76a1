import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { isNumber } from '@amodal/sdk/data'
import {
  type Issues,
  type JsonFile,
  type Path,
  tellUnread,
  unreadName,
  valueAt,
} from '@amodal/sdk/files'

/** `maxTokens` as `max_tokens`. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * A part of a file: its value, where it stands, and whom to tell of what is wrong with it. Each
 * reading method returns `undefined` where it has told of a problem.
 *
 * @example
 * const part = new Part(json, ['cases', 0], issues)
 * part.fields(['name', 'input'])?.get('input')?.text()
 */
export class Part {
  readonly #json: JsonFile
  readonly #path: Path
  readonly #issues: Issues

  constructor(json: JsonFile, path: Path, issues: Issues) {
    this.#json = json
    this.#path = path
    this.#issues = issues
  }

  /** `null` where there is nothing. */
  get value(): Json {
    return valueAt(this.#json.value, this.#path) ?? null
  }

  get line(): number {
    return this.#json.lineOf(this.#path)
  }

  /** The last name on the way to it, for people: `assert[1]`. */
  get label(): string {
    const named = this.#path.findLastIndex((step) => typeof step === 'string')
    if (named === -1) return 'this'
    const places = this.#path.slice(named + 1).map((index) => `[${index}]`)
    return `\`${String(this.#path[named])}${places.join('')}\``
  }

  at(...steps: Path): Part {
    return new Part(this.#json, [...this.#path, ...steps], this.#issues)
  }

  error(message: string, fix: string): undefined {
    this.#issues.error('BAD_REPO', message, { file: this.#json.file, line: this.line, fix })
    return undefined
  }

  warn(message: string, fix: string): undefined {
    this.#issues.warn('BAD_REPO', message, { file: this.#json.file, line: this.line, fix })
    return undefined
  }

  object(): JsonObject | undefined {
    return isObject(this.value) ? this.value : this.misfit('an object')
  }

  /**
   * The fields that have a value, by their names in snake case; the file may have camel case. Tells
   * of names that are not known.
   *
   * @param known in snake case
   */
  fields(known: readonly string[]): ReadonlyMap<string, Part> | undefined {
    const object = this.object()
    if (!object) return undefined
    const found = new Map<string, Part>()
    for (const [written, value] of Object.entries(object)) {
      const name = snakeCase(written)
      const part = this.at(written)
      if (!known.includes(name))
        tellUnread(
          `\`${written}\` is not a known field`,
          unreadName(name, known),
          { file: this.#json.file, line: part.line },
          `remove it; there are: ${known.join(', ')}`,
          this.#issues,
        )
      else if (found.has(name)) part.error(`\`${name}\` is written in two ways`, 'keep one of them')
      else if (value !== null) found.set(name, part)
    }
    return found
  }

  /** Each field of an object whose names are the author's own. */
  entries(): readonly (readonly [string, Part])[] | undefined {
    const object = this.object()
    return object && Object.keys(object).map((name) => [name, this.at(name)] as const)
  }

  /** The members of a list. */
  items(): readonly Part[] | undefined {
    const { value } = this
    return isList(value) ? value.map((_, index) => this.at(index)) : this.misfit('a list')
  }

  /** A text that is not empty, as it stands. */
  text(): string | undefined {
    const { value } = this
    if (typeof value !== 'string') return this.misfit('a text')
    return value.trim() === '' ? this.error(`${this.label} is empty`, 'fill it') : value
  }

  /** One text, or a list of them that is not empty. */
  texts(): readonly string[] | undefined {
    if (!isList(this.value)) {
      const text = this.text()
      return text === undefined ? undefined : [text]
    }
    const texts = (this.items() ?? []).map((item) => item.text())
    if (texts.length === 0) return this.error(`${this.label} is empty`, 'fill it, or remove it')
    const present = texts.filter((text) => text !== undefined)
    return present.length === texts.length ? present : undefined
  }

  oneOf<const T extends string>(values: readonly T[]): T | undefined {
    const found = values.find((one) => one === this.value)
    if (found !== undefined) return found
    const { value } = this
    const shown = typeof value === 'string' ? `"${value}"` : wordOf(value)
    const meant = typeof value === 'string' ? unreadName(value, values).meant : undefined
    return this.error(
      `${this.label} cannot be ${shown}${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
      `use one of: ${values.join(', ')}`,
    )
  }

  /** A number from 0 on. A text of digits counts: rows of CSV have nothing else. */
  amount(): number | undefined {
    const { value } = this
    const isDigits = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value.trim())
    if (!isDigits && !isNumber(value)) return this.misfit('a number')
    const amount = Number(value)
    return amount >= 0 ? amount : this.error(`${this.label} is below 0`, 'write 0 or more')
  }

  /** The same, without a fraction. */
  count(): number | undefined {
    const amount = this.amount()
    return amount === undefined || Number.isInteger(amount)
      ? amount
      : this.error(`${this.label} is a fraction`, 'write a whole number')
  }

  flag(): boolean | undefined {
    const { value } = this
    return typeof value === 'boolean' ? value : this.misfit('true or false')
  }

  misfit(wanted: string): undefined {
    return this.error(
      `${this.label} is ${wordOf(this.value)}, and ${wanted} is needed`,
      wanted === 'a text' ? 'put the text in quotes' : `write ${wanted}`,
    )
  }
}

function wordOf(value: Json): string {
  if (value === null) return 'nothing'
  if (isList(value)) return 'a list'
  if (isObject(value)) return 'an object'
  if (isNumber(value)) return 'a number'
  return typeof value === 'string' ? 'a text' : 'true or false'
}
