/** Up to where a text is settled that goes on: what is behind may still become something that may not leave. */
/** Up to where the links, images and handles of a text are whole. Looks at each of its characters a few times, whatever they are. */
export declare function linksSettled(text: string): number;
/** A place that is not inside of a handle: it is told in one piece, since it may be another text for each reader. */
export declare function wholeHandles(text: string, place: number): number;
