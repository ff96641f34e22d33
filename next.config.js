/** @type {import('next').NextConfig} */
const config = {
  distDir: process.env.NEXT_DIST_DIR || '.next',
  output: process.env.STANDALONE ? 'standalone' : undefined,
  poweredByHeader: false,
  experimental: { authInterrupts: true },
  reactStrictMode: true,
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
