import type { FieldNode, SelectionSetNode } from 'graphql'
import type { Kind } from 'graphql/language/index.js'

/** What a key of a response stands for. */
export interface SelectedField {
  /**
   * Names of the schema: more than one where fragments on several types give other fields the same
   * key.
   */
  readonly names: readonly string[]
  /** What is asked of its value. */
  readonly below: Selection
}

/** More fields than this in all levels that are looked at, and nothing more is known. */
const MOST_FIELDS = 200_000

/** What the levels of one document share. */
export class Fragments {
  readonly kinds: typeof Kind
  readonly #sets: ReadonlyMap<string, SelectionSetNode>
  readonly #levels = new Map<SelectionSetNode, Selection>()
  #left = MOST_FIELDS

  constructor(sets: ReadonlyMap<string, SelectionSetNode>, kinds: typeof Kind) {
    this.#sets = sets
    this.kinds = kinds
  }

  of(name: string): SelectionSetNode | undefined {
    return this.#sets.get(name)
  }

  /** Fragments in fragments can stand for more levels than there is room: each is made once. */
  level(sets: readonly SelectionSetNode[]): Selection {
    const [only, ...more] = sets
    if (!only || more.length > 0) return new Selection(sets, this)
    const level = this.#levels.get(only) ?? new Selection(sets, this)
    this.#levels.set(only, level)
    return level
  }

  /** Whether one more field may be looked at. */
  spend(): boolean {
    return this.#left-- > 0
  }
}

/**
 * One level of what a GraphQL request asks for, by the keys of its response: aliases are resolved,
 * fragments spread. Levels are read as a response is walked.
 */
export class Selection {
  readonly #sets: readonly SelectionSetNode[]
  readonly #fragments: Fragments
  #fields: ReadonlyMap<string, SelectedField> | undefined

  constructor(sets: readonly SelectionSetNode[], fragments: Fragments) {
    this.#sets = sets
    this.#fragments = fragments
  }

  /** By key; a key that was not asked for is not among them. */
  get fields(): ReadonlyMap<string, SelectedField> {
    return (this.#fields ??= this.#read())
  }

  #read(): ReadonlyMap<string, SelectedField> {
    const nodes = new Map<string, FieldNode[]>()
    const spread = new Set<string>()
    for (const set of this.#sets) this.#collect(set, nodes, spread)
    return new Map(
      [...nodes].map(([key, fields]): [string, SelectedField] => [
        key,
        {
          names: [...new Set(fields.map(({ name }) => name.value))],
          below: this.#fragments.level(
            fields.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : [])),
          ),
        },
      ]),
    )
  }

  #collect(set: SelectionSetNode, nodes: Map<string, FieldNode[]>, spread: Set<string>): void {
    const { kinds } = this.#fragments
    for (const node of set.selections) {
      if (!this.#fragments.spend()) return
      if (node.kind === kinds.FIELD) {
        const key = (node.alias ?? node.name).value
        const known = nodes.get(key)
        if (known) known.push(node)
        else nodes.set(key, [node])
      } else if (node.kind === kinds.INLINE_FRAGMENT)
        this.#collect(node.selectionSet, nodes, spread)
      else {
        const name = node.name.value
        const inner = spread.has(name) ? undefined : this.#fragments.of(name)
        spread.add(name)
        if (inner) this.#collect(inner, nodes, spread)
      }
    }
  }
}
