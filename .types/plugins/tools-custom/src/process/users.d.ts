/** Users of this machine that nobody else is, one for each process: what one of them left behind is told from all others. */
export declare class Users {
    #private;
    /** @param first of 512 numbers that no account of this machine has */
    constructor(first: number);
    take(): number;
    giveBack(user: number): void;
}
