import type { Logger, Secrets } from '@amodal/sdk';
/**
 * All that a child gets of any environment: what its spec names, where programs and its home are, and how the network is
 * reached. An address that has credentials in it is left out: who wants a stranger's program to have them names it in `env`.
 *
 * @param named what the spec names, resolved
 */
export declare function childEnvironment(named: Readonly<Record<string, string>>, server: string, secrets: Secrets, log: Logger): Readonly<Record<string, string>>;
