import type { AgentBundle } from '../ports/bundle.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Issues } from './issues.ts';
import { type JsonFile } from './json-file.ts';
type References = AgentBundle['references'];
/**
 * Every `env:NAME` of a file with whether it is set; one that is not is an error. Values are looked at
 * and forgotten: what goes on is the reference.
 */
export declare function checkReferences(json: JsonFile, secrets: Secrets, issues: Issues): References;
export {};
