import { type Plugin } from '@amodal/kernel';
import { Outbound } from '../ports/outbound.ts';
import { Secrets } from '../ports/secrets.ts';
/** Secrets from a record. */
export declare function secretsOf(values: Readonly<Record<string, string>>): Secrets;
/** The platform's own fetch, with nothing in between. */
export declare const straightOut: Outbound;
/** Both as a plugin, for one that requires them. */
export declare const plainDeps: (values: Readonly<Record<string, string>>) => Plugin;
