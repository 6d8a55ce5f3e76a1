import { readFile, rename, writeFile } from 'node:fs/promises'
import { definePlugin, failure, SessionFacts, StoreBackend, tryAsync, type Failure, type Result, type StoreDocument, type StoreWrite, type StoreWriteOutcome } from '@amodal/sdk'
import { z } from 'zod'

type Documents = Record<string, StoreDocument>

/** Documents in one JSON file: not for production, but a whole store in one screen. */
export const storesFile = definePlugin({
  name: 'stores-file',
  version: '1.0.0',
  provides: [StoreBackend],
  config: z.object({ file: z.string() }),
  setup({ config, provide }) {
    // One change at a time: the whole file is read, changed and put in place.
    let line: Promise<unknown> = Promise.resolve()
    const withFile = <T>(work: (documents: Documents) => T): Promise<Result<T, Failure>> => {
      const turn = line.then(() => tryAsync(async () => {
        const documents = JSON.parse(await readFile(config.file, 'utf8').catch(() => '{}')) as Documents
        const result = work(documents)
        await writeFile(`${config.file}.new`, JSON.stringify(documents))
        await rename(`${config.file}.new`, config.file)
        return result
      }, (cause) => failure('STORE_FAILED', `${config.file}: ${String(cause)}`)))
      line = turn
      return turn
    }
    provide(StoreBackend, (scope) => {
      const { tenant } = scope.get(SessionFacts)
      const place = (store: string, key: string): string => `${tenant}/${store}/${key}`
      const all = (documents: Documents, store: string): StoreDocument[] => Object.entries(documents).filter(([at]) => at.startsWith(`${tenant}/${store}/`)).map(([, document]) => document)
      const put = (documents: Documents, store: string, { key, payload, ifVersion }: StoreWrite): StoreWriteOutcome => {
        const version = documents[place(store, key)]?.version ?? 0
        if (ifVersion !== undefined && ifVersion !== version) return { key, stored: false, error: `stands at version ${version}` }
        documents[place(store, key)] = { key, store, version: version + 1, payload, computedAt: new Date().toISOString(), stale: false }
        return { key, stored: true, version: version + 1 }
      }
      return {
        get: ({ name }, key) => withFile((documents) => documents[place(name, key)]),
        query: ({ name }, { filters, limit, offset }) => withFile((documents) => {
          const found = all(documents, name).filter(({ payload }) => filters.every(({ field, value }) => payload[field] === value))
          return { documents: found.slice(offset, offset + limit), total: found.length }
        }),
        write: ({ name }, writes) => withFile((documents) => writes.map((write) => put(documents, name, write))),
        remove: ({ name }, key) => withFile((documents) => delete documents[place(name, key)]),
        history: () => withFile(() => []),
        count: ({ name }) => withFile((documents) => all(documents, name).length),
      }
    })
  },
})

export default storesFile
