import { type Failure, type Result, type Secrets } from '@amodal/sdk';
/** Looks a variable up in the process, or in what stands for it. */
export type Lookup = (name: string) => string | undefined;
/** Secrets from the environment and `.env` files. It remembers what it gave out, so that it can mask it. */
export declare class EnvSecrets implements Secrets {
    #private;
    constructor(process: Lookup);
    get(name: string): string | undefined;
    resolve(text: string, where: string): Result<string, Failure>;
    load({ path, text }: {
        readonly path: string;
        readonly text: string;
    }): readonly string[];
    values(): readonly string[];
    mask(text: string): string;
    /** Up to where a text that comes in pieces can be masked. */
    settled(text: string): number;
}
