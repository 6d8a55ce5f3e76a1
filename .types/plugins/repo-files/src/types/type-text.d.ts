import { type Json, type StoreField } from '@amodal/sdk';
export declare const propertyName: (name: string) => string;
/** The type of documents with these fields. */
export declare function fieldsType(fields: Readonly<Record<string, StoreField>>, depth?: number): string;
/** The type of what fits a JSON Schema; where that says more than a type can, the nearest that takes all of it. */
export declare function schemaType(schema: Json | undefined, depth?: number): string;
