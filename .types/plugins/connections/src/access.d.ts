import { type AccessRules } from '@amodal/sdk';
import { type Issues, type JsonFile } from '@amodal/sdk/files';
/** Reads are allowed, writes ask. */
export declare const NO_ACCESS: AccessRules;
/**
 * Reads `access.json`. A protection that cannot be understood is an error, never one that is left out: the connection is
 * left out then.
 */
export declare function readAccess(json: JsonFile, issues: Issues): AccessRules | undefined;
