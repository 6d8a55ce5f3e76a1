import {
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type CompiledQuery,
  type Driver,
  type QueryId,
  type RootOperationNode,
} from 'kysely'

/**
 * A value that is given when the statement runs, and stands for it while the statement is compiled.
 */
export class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  /** A statement is compiled once for all values: it cannot depend on one. */
  [Symbol.toPrimitive](): never {
    throw new TypeError(
      `the parameter "${this.name}" has no value while its statement is compiled: pass it to the query builder as it is`,
    )
  }
}

/** Compiles for Postgres; a placeholder that occurs several times keeps its first number. */
class StatementCompiler extends PostgresQueryCompiler {
  readonly #numbers = new Map<Placeholder, string>()

  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    this.#numbers.clear()
    return super.compileQuery(node, queryId)
  }

  protected override appendValue(parameter: unknown): void {
    const number = parameter instanceof Placeholder ? this.#numbers.get(parameter) : undefined
    if (number !== undefined) return this.append(number)
    super.appendValue(parameter)
    if (parameter instanceof Placeholder)
      this.#numbers.set(parameter, this.getCurrentParameterPlaceholder())
  }
}

const refuse = (): never => {
  throw new Error('this query builder only compiles: pass the query to `runQuery` or `runIn`')
}
const refusing = (): Promise<never> => Promise.resolve().then(refuse)

/** Stands where Kysely has a connection. */
const NO_DRIVER: Driver = {
  init: () => Promise.resolve(),
  acquireConnection: refusing,
  beginTransaction: refusing,
  commitTransaction: refusing,
  rollbackTransaction: refusing,
  releaseConnection: refusing,
  destroy: () => Promise.resolve(),
}

/**
 * The query builder of [Kysely](https://kysely.dev) over a plugin's tables. It compiles, and
 * connects to nothing: statements run through the Database slot.
 *
 * @typeParam Tables the plugin's tables by their names, each with its columns as they are read:
 *   `bigint` as a number, times as `Date`, `bytea` as `Uint8Array`, arrays as arrays, `jsonb` as
 *   what was stored
 * @example
 * interface Tables {
 *   notes_note: { tenant: string; id: string; text: string }
 * }
 * export const db = tables<Tables>()
 */
export function tables<Tables>(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => NO_DRIVER,
      createIntrospector: refuse,
      createQueryCompiler: () => new StatementCompiler(),
    },
  })
}
