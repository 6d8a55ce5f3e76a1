import { type Failure, type Result, type Secrets } from '@amodal/sdk';
import { type KnownKey } from './api-key.ts';
import { type AuthConfig, type KeyFacts } from './config.ts';
export declare const VARIABLE = "AMODAL_API_KEYS";
/**
 * Keys that are given and not made here: in config, and in `AMODAL_API_KEYS` as
 * `amodal_…;name=support;roles=support+billing;scopes=chat+sessions;tenant=acme`, with commas or spaces between them.
 */
export declare function givenKeys({ keys }: Pick<AuthConfig, 'keys'>, secrets: Secrets): Result<ReadonlyMap<string, KnownKey>, Failure>;
export declare const knownKey: (id: string, digest: Uint8Array, { name, roles, scopes, tenant, expires }: KeyFacts) => KnownKey;
