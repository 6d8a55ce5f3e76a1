import type { Failure, Result } from '@amodal/kernel'
import type {
  Compilable,
  CompiledQuery,
  DeleteResult,
  InsertResult,
  MergeResult,
  RawBuilder,
  UpdateResult,
} from 'kysely'
import type { Database, Row, Statement } from '../ports/database.ts'
import { Placeholder, tables } from './tables.ts'

/** A statement that knows what its rows are. */
export interface TypedStatement<R> extends Statement {
  /** Carries the type only. */
  readonly '~row'?: R
}

/** What a query builder makes, or the template `sql`. */
export type Query<R> = Compilable<R> | RawBuilder<R>

/** A row of a query: those that return nothing have none. */
export type RowOf<R> = R extends InsertResult | UpdateResult | DeleteResult | MergeResult
  ? never
  : R

/**
 * A statement of one text, compiled when it is used for the first time. In `build` every parameter
 * is a placeholder: it goes into the query as it is, and nothing may depend on its value.
 *
 * @param build makes the query from the parameters, whose types stand at its argument
 * @returns what makes the statement from the values
 * @example
 * const NOTES = statement(({ about }: { about: string }) =>
 *   db.selectFrom('notes_note').select(['id', 'text']).where('about', '=', about),
 * )
 * const rows = await runQuery(database, NOTES({ about: 'cats' }), signal) // { id, text }[]
 */
export function statement<R>(build: () => Query<R>): () => TypedStatement<RowOf<R>>
export function statement<P extends object, R>(
  build: (parameters: P) => Query<R>,
): (values: P) => TypedStatement<RowOf<R>>
export function statement<P extends object, R>(
  build: (parameters: P) => Query<R>,
): (values?: P) => TypedStatement<RowOf<R>> {
  let compiled: CompiledQuery | undefined
  return (values) => {
    compiled ??= compile(build(placeholders<P>()))
    const given: Readonly<Record<string, unknown>> = { ...values }
    return {
      sql: compiled.sql,
      parameters: compiled.parameters.map((parameter) =>
        parameter instanceof Placeholder ? given[parameter.name] : parameter,
      ),
    }
  }
}

/**
 * Runs a statement, or a query that is another one each time, and types its rows.
 *
 * @example
 * const rows = await runQuery(database, NOTES({ about: 'cats' }), signal)
 */
export async function runQuery<R>(
  database: Pick<Database, 'run'>,
  query: Query<R> | TypedStatement<R>,
  signal: AbortSignal,
): Promise<Result<readonly RowOf<R>[], Failure>> {
  const rows = await database.run(statementOf(query), signal)
  // the statement names the columns, and the plugin's tables give their types
  return rows as Result<readonly RowOf<R>[], Failure>
}

/**
 * The same inside a transaction.
 *
 * @param run of `database.transaction`
 */
export async function runIn<R>(
  run: (statement: Statement) => Promise<readonly Row[]>,
  query: Query<R> | TypedStatement<R>,
): Promise<readonly RowOf<R>[]> {
  const rows: readonly unknown[] = await run(statementOf(query))
  return rows as readonly RowOf<R>[] // as above
}

/** The text of a query and its parameters, for what takes a {@link Statement}. */
export const statementOf = <R>(query: Query<R> | TypedStatement<R>): Statement =>
  'compile' in query ? textOf(compile(query)) : query

const textOf = ({ sql, parameters }: CompiledQuery): Statement => ({ sql, parameters })

/**
 * A definition by hand among those of a migration, for what the schema builder has no word for:
 * functions, triggers, comments.
 */
export const script = (sql: string): Statement => ({ sql, parameters: [] })

/** Compiles what stands outside a query builder. */
const COMPILING = tables<object>()

const compile = <R>(query: Query<R>): CompiledQuery =>
  'isRawBuilder' in query ? query.compile(COMPILING) : query.compile()

/** Each parameter by its name, of whatever type its statement says. */
function placeholders<P extends object>(): P {
  const placeholders = new Map<string | symbol, Placeholder>()
  const parameters: object = new Proxy(
    {},
    {
      get(_, name) {
        const known = placeholders.get(name) ?? new Placeholder(String(name))
        placeholders.set(name, known)
        return known
      },
      ownKeys() {
        throw new TypeError('parameters are not known while compiled: name each that is used')
      },
    },
  )
  return parameters as P // no parameter is looked into: Placeholder refuses that
}
