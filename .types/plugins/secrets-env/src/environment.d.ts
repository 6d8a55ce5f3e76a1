import { z } from 'zod';
type Variables = Readonly<Record<string, string | undefined>>;
/**
 * Variables given in config. A config is shown by `inspect`, and a value of a class is shown as nothing; the same
 * record makes the same environment again, so that a reload finds the config unchanged.
 */
export declare class GivenEnvironment {
    #private;
    private constructor();
    static of(variables: Variables): GivenEnvironment;
    get(name: string): string | undefined;
}
/** A record of texts in the config, a {@link GivenEnvironment} afterwards. */
export declare const givenEnvironment: z.ZodPipe<z.ZodCustom<Readonly<Record<string, string | undefined>>, Readonly<Record<string, string | undefined>>>, z.ZodTransform<GivenEnvironment, Readonly<Record<string, string | undefined>>>>;
export {};
