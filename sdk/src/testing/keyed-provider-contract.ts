import { Kernel, unwrap, type Plugin } from '@amodal/kernel'
import { expect, test } from 'vitest'
import { use } from '@amodal/kernel'
import { explain } from '../explain.ts'
import { keyedProvider, type ModelEndpoint } from '../models/index.ts'
import { Models } from '../ports/model.ts'
import { plainDeps, secretsOf, straightOut } from './plain-deps.ts'
import { pluginContract } from './plugin-contract.ts'
import { providerContract, type ProviderContract } from './provider-contract.ts'

export interface KeyedProviderContract extends Pick<ProviderContract, 'skip'> {
  readonly endpoint: ModelEndpoint
  readonly make: Parameters<typeof keyedProvider>[2]
}

/**
 * What a plugin owes that brings one `keyedProvider`: all that a plugin does, all that a provider
 * does, and that it is found by its key alone.
 *
 * @example
 * keyedProviderContract(modelAcme, { endpoint: ACME, make: createAcmeModel })
 */
export function keyedProviderContract(
  plugin: Plugin,
  { endpoint, make, skip = {} }: KeyedProviderContract,
): void {
  const { name, envVar, model: ownModel } = endpoint
  const given = use(plainDeps({ [envVar]: 'k-given' }))
  pluginContract(plugin, { with: [given] })

  providerContract(name, {
    skip,
    make({ url, apiKey, model }) {
      const provider = keyedProvider(
        endpoint,
        { secrets: secretsOf({ [envVar]: apiKey }), outbound: straightOut },
        make,
      )
      return unwrap(
        provider.model({ provider: name, model, baseUrl: url }),
        ({ message }) => message,
      )
    },
  })

  test(`${name} is found by its key, with a model of its own`, async () => {
    const kernel = unwrap(await Kernel.create([given, use(plugin)]), explain)
    try {
      const provider = kernel.current().registry(Models).get(name)
      expect(provider?.status?.()).toEqual({ provider: name, envVar, keySet: true })
      expect(provider?.defaultModel).toBe(ownModel)
    } finally {
      await kernel.close()
    }
  })
}
