import { type Failure, type Result } from '@amodal/sdk';
import type { Asked } from './request.ts';
import { type Line, type Tape } from './tape.ts';
/** The recordings of one folder, a file for each request. */
export declare class CassetteFolder {
    #private;
    readonly path: string;
    constructor(path: string);
    /** What is there of a request; nothing, or why it cannot be read. */
    find(key: string): Promise<Result<Tape | undefined, Failure>>;
    /** The takes of a request, one after the other, and then from the first again. */
    next({ key, takes }: Tape): readonly Line[];
    /** Those that can be read. */
    all(): Promise<readonly Tape[]>;
    /**
     * Keeps one more call of a request. The first since the start takes the place of what was there.
     *
     * @param made the lines of take `n`, counted from 1
     */
    keep(key: string, asked: Asked, made: (n: number) => readonly Line[]): Promise<Result<void, Failure>>;
}
export declare const fileOf: (key: string) => string;
