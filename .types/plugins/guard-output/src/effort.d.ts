/**
 * Counts the characters that are looked at. Time would say the same less exactly, and differently on each machine.
 *
 * @example
 * const effort = new Effort(1_000)
 * effort.add(text.length)
 * if (effort.exceeded) return 'nothing of this may leave'
 */
export declare class Effort {
    #private;
    looked: number;
    constructor(most: number);
    static forText({ length }: {
        readonly length: number;
    }): Effort;
    get exceeded(): boolean;
    add(characters: number): void;
}
