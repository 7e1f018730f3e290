# paytwin as one file, on an image that has the C and C++ libraries, no shell, and a user without rights.
FROM node:22-bookworm AS build
WORKDIR /src
# The packages first: this layer is kept until the lock file changes.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts && npm rebuild better-sqlite3 esbuild
COPY . .
RUN npm run build:executable && mkdir /data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /src/dist/executable/paytwin /usr/local/bin/paytwin
COPY --from=build /src/dist/executable/paytwin.LICENSES.txt /src/LICENSE /usr/share/doc/paytwin/
COPY --from=build --chown=65532:65532 /data /data
# The first start prints a secret key and an admin token, once. PAYTWIN_SECRET_KEY and PAYTWIN_ADMIN_TOKEN set others.
ENV PAYTWIN_HOST=0.0.0.0 PAYTWIN_PORT=4242 PAYTWIN_DATA=/data PAYTWIN_GENERATE_ADMIN_TOKEN=1
USER 65532:65532
VOLUME /data
EXPOSE 4242
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["/usr/local/bin/paytwin", "status", "--json"]
ENTRYPOINT ["/usr/local/bin/paytwin"]
CMD ["serve"]
