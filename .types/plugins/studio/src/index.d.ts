/** Shows the agent in a browser, at `/`. The page has no data of its own: it asks the routes that every client asks. */
export declare const studio: import("@amodal/sdk").Plugin;
export default studio;
