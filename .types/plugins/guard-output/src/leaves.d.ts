import { type Json } from '@amodal/sdk';
export type Change = (leaf: string | number, name: string) => string | number;
/** A value with each of its texts and numbers changed; `name` is that of the field it stands in. The same object where nothing changes. */
export declare function mapLeaves(value: Json, change: Change, name?: string): Json;
/** Of the name of a field: what may say something of a value beside it. Names are looked at as a whole where they stand. */
export declare const contextOf: (name: string) => string;
/** All texts of a value as one, each behind the name of its field: what is not found in it is in none of them. */
export declare function joined(value: Json, name?: string): string;
