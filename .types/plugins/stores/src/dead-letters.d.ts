import { type Json, type StoreDefinition, type StoreWrite } from '@amodal/sdk';
/** A document that was given up, and why. */
export interface Letter {
    readonly document: Json;
    readonly error: string;
}
/** Where the documents lie that a store could not take. No store of an agent can have such a name. */
export declare function deadLettersOf(store: StoreDefinition): StoreDefinition;
/** @param key of the call: the same call again puts the same letters */
export declare function lettersOf(letters: readonly Letter[], key: string): readonly StoreWrite[];
