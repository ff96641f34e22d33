/** @type {import('next').NextConfig} */
const config = {
  distDir: process.env.NEXT_DIST_DIR || '.next',
  output: process.env.STANDALONE ? 'standalone' : undefined,
  poweredByHeader: false,
  // Up to 1 MiB of manifests can be planned at once, and are longer on their way.
  experimental: { authInterrupts: true, serverActions: { bodySizeLimit: '3mb' } },
  reactStrictMode: true,
  // `npm test` checks the types; a build, which every first start waits for, does not do it again.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: [
    '@kubernetes/client-node',
    'pg',
    'pino',
    '@prisma/client',
    '@prisma/adapter-pg',
    'undici',
    'prom-client',
  ],
}

export default config
