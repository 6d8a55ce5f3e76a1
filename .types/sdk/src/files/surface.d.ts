/** Endpoints that a line of `surface.md` names, such as `### GET /deals – lists deals`. */
export declare function endpointsIn(line: string): readonly {
    readonly method: string;
    readonly path: string;
    readonly rest: string;
}[];
/**
 * A `surface.md` without what is said of endpoints that are not there for the agent: the section below a heading that names
 * one, and any other line that does.
 *
 * @param isGone whether an endpoint is one of them
 * @example surfaceWithout('### GET /a\nText.\n### GET /b\nMore.', (_, path) => path === '/a') // '### GET /b\nMore.'
 */
export declare function surfaceWithout(surface: string, isGone: (method: string, path: string) => boolean): string;
