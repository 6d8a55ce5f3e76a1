/** Finds which of many keys stand at a place, however many they are and however alike they begin: a burst trie. */
export declare class Prefixes<T> {
    #private;
    add(key: string, of: T): void;
    /** Whether it is worth while to look for keys at a place: it is where there is one, and seldom where there is none. */
    mayBegin(chars: string, place: number): boolean;
    /** Keys that `chars` go on with from a place. */
    at(chars: string, place: number): readonly T[];
    /** Whether a key begins with all that stands from a place on, or is it. */
    isBegun(chars: string, place: number): boolean;
}
