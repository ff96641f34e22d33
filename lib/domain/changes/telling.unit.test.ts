import { expect, test } from 'vitest'
import { tellingOf } from './telling'

const words = (text: string): string[] => text.trim().split(/\s+/)

test.each(
  words(`
  password DB_PASSWORD passwd accessToken authToken bearerToken secretAccessKey client-key-data passphrase pass DB_PASS
  DB_PWD mysqlpass1 password2 apiKey API_KEY X-Api-Key x-auth-token token tokens tlsBootstrapToken certificateKey
  privateKey private_key clientSecret secret_id userData user-data passwordHash content credentials creds activationkey
  AZURE_STORAGE_KEY rawKey rsaEncryptedKey protectedSettings dockerConfigJson .dockerconfigjson connectionString
  SECRET_KEY_BASE pullSecret tokenValue apiKeyData Proxy-Authorization adminpassword auth keyData encryptionKey
  `),
)('%s says that a credential is below it', (key) => expect(tellingOf(key)).not.toBeNull())

test.each(
  words(`
  secretName dataSecretName tokenTTL passwordPolicy caCertHashes keyName sshKeyName sshPublicKey sshAuthorizedKeys kmsKey
  kmsKeyName kmsKeyServiceAccount authorizationMode authorization-mode secretRef credentialsRef credentialsSecretRef key
  secretKeyRef passwdFrom contentFrom contentFormat secretPrefix secretCount secureSecretsBackend httpTokens tokenMethod
  keyFile certFile certificatesDir caCertPath certSANs certificateAuthorityData service-account-signing-key-file data
  tls-private-key-file image-credential-provider-config image-credential-provider-bin-dir kubeconfig kubeConfigPath value
  authentication-token-webhook-cache-ttl accessTokenMaxAgeSeconds bypass tokenizer setOkEnabled AWS_ACCESS_KEY_ID
  userAssignedIdentityCredentialsPath passThrough matchLabelKeys DataSecretAvailable keyVaultResourceID authProvider
  discovery-token-ca-cert-hash certificateValidityPeriodDays enableExternalAuthProviders userAssignedIdentities usernamePrefix containerLinuxConfig
  `),
)('%s is a name or a number of something, and no credential', (key) => expect(tellingOf(key)).toBeNull())

test('a key of any length is looked at', () => {
  expect(tellingOf(`${'1a'.repeat(100_000)}_PASSWORD`)).toBe('all')
  expect(tellingOf(`${'1'.repeat(200_000)}a`)).toBeNull()
})
