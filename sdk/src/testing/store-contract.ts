import { describe } from 'vitest'
import { ageTests } from './store/age.ts'
import { queryTests } from './store/queries.ts'
import type { StoreBench, StoreKit } from './store/subject.ts'
import { writeTests } from './store/writes.ts'

export type { StoreKit } from './store/subject.ts'

/** What every store of documents must do. Run it on yours with the `make` that builds one. */
export function storeContract(
  name: string,
  { make }: { readonly make: () => Promise<StoreKit> },
): void {
  describe(`store contract: ${name}`, () => {
    const bench: StoreBench = {
      signal: AbortSignal.timeout(60_000),
      async using(work) {
        const kit = await make()
        try {
          await work(kit)
        } finally {
          await kit.close()
        }
      },
    }
    queryTests(bench)
    writeTests(bench)
    ageTests(bench)
  })
}
