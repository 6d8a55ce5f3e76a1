import type { ModelProvider } from '@amodal/sdk';
import { type KeyedProviderDeps } from '@amodal/sdk/models';
import { type Endpoint } from './endpoints.ts';
/** The provider for one endpoint of the table. */
export declare function createProvider(endpoint: Endpoint, deps: KeyedProviderDeps): ModelProvider;
