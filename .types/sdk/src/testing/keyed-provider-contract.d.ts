import { type Plugin } from '@amodal/kernel';
import { keyedProvider, type ModelEndpoint } from '../models/index.ts';
import { type ProviderContract } from './provider-contract.ts';
export interface KeyedProviderContract extends Pick<ProviderContract, 'skip'> {
    readonly endpoint: ModelEndpoint;
    readonly make: Parameters<typeof keyedProvider>[2];
}
/**
 * What a plugin owes that brings one `keyedProvider`: all that a plugin does, all that a provider does, and that it is found by
 * its key alone.
 *
 * @example
 * keyedProviderContract(modelAcme, { endpoint: ACME, make: createAcmeModel })
 */
export declare function keyedProviderContract(plugin: Plugin, { endpoint, make, skip }: KeyedProviderContract): void;
