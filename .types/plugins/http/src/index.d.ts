/** Serves what plugins mount with `http.routes` on one socket, which stays open over reloads. */
export declare const http: import("@amodal/sdk").Plugin;
export default http;
