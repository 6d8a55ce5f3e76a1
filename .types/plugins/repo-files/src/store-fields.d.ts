import { type StoreField } from '@amodal/sdk';
import { type Issues, type JsonFile, type Path } from '@amodal/sdk/files';
type Fields = Readonly<Record<string, StoreField>>;
/** Checks what the type of each field asks for. */
export declare function checkFields(fields: Fields, json: JsonFile, at: Path, issues: Issues): void;
/** The key is a template such as `{region}:{id}`, over fields that every document has. */
export declare function checkKey(key: string, fields: Fields, json: JsonFile, issues: Issues): void;
/** The fields that a key template names. */
export declare const keyFields: (key: string) => readonly string[];
export {};
