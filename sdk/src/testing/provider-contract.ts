import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LanguageModel } from '../ports/model.ts'
import { observeReply } from './observed-reply.ts'
import { reply, startModelServer } from './model-server.ts'
import {
  API_KEY,
  ASK,
  CASES,
  type Bench,
  type Endpoint,
  type ProviderCase,
} from './provider/cases.ts'

export type { ProviderCase } from './provider/cases.ts'

export interface ProviderContract {
  /**
   * A model of the provider under test, that talks to the endpoint at `url`, in whichever protocol.
   */
  readonly make: (endpoint: Endpoint) => LanguageModel | Promise<LanguageModel>
  /** Cases the provider cannot meet, each with the reason. */
  readonly skip?: Partial<Readonly<Record<ProviderCase, string>>>
}
/**
 * What every model provider has to do, as tests: called inside a test file, it registers one test
 * per promise and drives the provider against a scripted server on loopback.
 *
 * @param name of the provider, for the report
 * @example
 * providerContract('my-provider', {
 *   make: ({ url, apiKey, model }) => createMyProvider({ baseURL: url, apiKey })(model),
 * })
 */
export function providerContract(name: string, contract: ProviderContract): void {
  describe(`provider contract: ${name}`, () => {
    let bench: Bench
    beforeAll(async () => {
      bench = await openBench(contract)
    })
    afterAll(() => bench.server.close())

    const skipped: Readonly<Record<string, string | undefined>> = contract.skip ?? {}
    for (const [title, check] of Object.entries(CASES)) {
      const reason = skipped[title]
      if (reason === undefined) test(title, () => check(bench))
      else
        test(`not met: ${title} (${reason})`, () => {
          expect(reason.length, 'a case is left out for a written reason').toBeGreaterThan(10)
        })
    }
  })
}

async function openBench(contract: ProviderContract): Promise<Bench> {
  const server = await startModelServer({ script: reply.text('Hello.') })
  const model = await contract.make({ url: server.url, apiKey: API_KEY, model: 'contract' })
  return {
    server,
    model,
    make: contract.make,
    call(script, options = {}, onPart = undefined) {
      server.play(script)
      return observeReply(model, { ...ASK, ...options }, onPart)
    },
  }
}
