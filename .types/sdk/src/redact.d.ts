import type { Env, Json } from '@amodal/kernel';
export declare const REDACTED = "[REDACTED]";
/**
 * Whether a name says that its value is a secret. Whole words count: `api_key` and `authToken` do,
 * `keyboard`, `monkey` and `max_tokens` do not.
 */
export declare function isSecretName(name: string): boolean;
/** The value with everything under a secret's name replaced, at any depth; the same object where there is nothing to replace. */
export declare function redact(value: Json): Json;
/** Config as it may be shown: secrets by their key, values that came from the environment by its name, logins in URLs. */
export declare function redactConfig(config: unknown, env: Env): unknown;
