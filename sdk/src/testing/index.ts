/** What tests of plugins and presets are made with. */

export * from './model-server.ts'
export { bundlePlugin } from './bundle-plugin.ts'
export { pluginContract, type PluginContractOptions } from './plugin-contract.ts'
export { leavesNothing } from './leaves-nothing.ts'
export { databaseContract, type DatabaseUnderTest } from './database-contract.ts'
export {
  movableClock,
  queueContract,
  type DoomedWorker,
  type MovableClock,
  type QueueUnderTest,
} from './queue-contract.ts'
export { storeContract, type StoreKit } from './store-contract.ts'
export { providerContract, type ProviderCase, type ProviderContract } from './provider-contract.ts'
export { keyedProviderContract, type KeyedProviderContract } from './keyed-provider-contract.ts'
export { outTo, plainDeps, secretsOf, straightOut } from './plain-deps.ts'
export { observeReply, until, type Observed } from './observed-reply.ts'
export { sweepSessions, type Swept } from './session-store/sweep.ts'
export { sessionStoreContract, type SessionStoreUnderTest } from './session-store-contract.ts'
export {
  presetContract,
  type PresetContractOptions,
  type PresetPlace,
  type PresetUnderTest,
} from './preset-contract.ts'
