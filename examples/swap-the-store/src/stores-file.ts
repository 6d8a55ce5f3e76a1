import { readFile, rename, writeFile } from 'node:fs/promises'
import {
  definePlugin,
  err,
  failure,
  ok,
  SessionFacts,
  StoreBackend,
  tryAsync,
  type Failure,
  type Result,
  type StoreDocument,
  type StoreWriteOutcome,
} from '@amodal/sdk'
import { z } from 'zod'

/** The whole file: documents by tenant, store and key, and what came of each call. */
interface Content {
  readonly documents: Record<string, StoreDocument>
  readonly calls: Record<string, readonly StoreWriteOutcome[]>
}

/**
 * Documents in one JSON file: not for production, but a whole store on one screen. It filters by
 * equality only.
 */
export const storesFile = definePlugin({
  name: 'stores-file',
  version: '1.0.0',
  provides: [StoreBackend],
  config: z.object({ file: z.string() }),
  setup({ config: { file }, provide }) {
    // One change at a time: the whole file is read, changed and put in place, so that a write is
    // there or is not.
    let line: Promise<unknown> = Promise.resolve()
    const withFile = <T>(work: (content: Content) => T): Promise<Result<T, Failure>> => {
      const turn = line.then(() =>
        tryAsync(
          async () => {
            const content = JSON.parse(
              (await readFile(file, { encoding: 'utf8', flag: 'a+' })) ||
                '{"documents":{},"calls":{}}',
            ) as Content // written below
            const result = work(content)
            await writeFile(`${file}.new`, JSON.stringify(content))
            await rename(`${file}.new`, file)
            return result
          },
          (cause) => failure('STORE_FAILED', `${file} cannot be used: ${String(cause)}`),
        ),
      )
      line = turn
      return turn
    }
    provide(StoreBackend, (scope) => {
      // Whose documents these are, the scope says: no method below is told.
      const at = (...names: readonly string[]): string =>
        JSON.stringify([scope.get(SessionFacts).tenant, ...names])
      const all = (documents: Content['documents'], store: string): readonly StoreDocument[] =>
        Object.entries(documents)
          .filter(([place]) => place.startsWith(at(store).slice(0, -1)))
          .map(([, one]) => one)
      return {
        get: ({ name }, key) => withFile(({ documents }) => documents[at(name, key)]),
        query: async ({ name }, { filters, limit, offset }) => {
          const other = filters.find(({ op }) => op !== 'eq')
          return other
            ? err(
                failure(
                  'STORE_FAILED',
                  `stores-file filters by equality only, not by "${other.op}"`,
                ),
              )
            : withFile(({ documents }) => {
                const found = all(documents, name).filter(({ payload }) =>
                  filters.every(
                    ({ field, value }) =>
                      JSON.stringify(payload[field] ?? null) === JSON.stringify(value),
                  ),
                )
                return { documents: found.slice(offset, offset + limit), total: found.length }
              })
        },
        write: ({ name }, writes, { atomic, callKey }) =>
          withFile(({ documents, calls }) => {
            const before = callKey === undefined ? undefined : calls[at(callKey)]
            if (before) return before
            const versionOf = (key: string): number => documents[at(name, key)]?.version ?? 0
            const fits = writes.map(
              ({ key, ifVersion }) => ifVersion === undefined || ifVersion === versionOf(key),
            )
            const outcomes = writes.map(({ key, payload }, index): StoreWriteOutcome => {
              const version = versionOf(key)
              if (!fits[index] || (atomic && fits.includes(false)))
                return { key, stored: false, error: `the document stands at version ${version}` }
              documents[at(name, key)] = {
                key,
                store: name,
                version: version + 1,
                payload,
                computedAt: new Date().toISOString(),
                stale: false,
              }
              return { key, stored: true, version: version + 1 }
            })
            if (callKey !== undefined) calls[at(callKey)] = outcomes
            return outcomes
          }),
        remove: ({ name }, key) =>
          withFile(
            ({ documents }) => at(name, key) in documents && delete documents[at(name, key)],
          ),
        history: async () => ok([]),
        count: ({ name }) => withFile(({ documents }) => all(documents, name).length),
      }
    })
  },
})
export default storesFile
