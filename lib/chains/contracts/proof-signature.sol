// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

// Gas limit of a wallet's own check: verifying a passkey in Solidity takes 0.3 million.
uint256 constant MOST_WALLET_GAS = 500_000;
// No wallet makes longer ones, and the relayer pays for each byte.
uint256 constant MOST_SIGNATURE_BYTES = 4_096;
// For the work before the wallet's own check.
uint256 constant SPARE_GAS = 10_000;

/// The transaction has less gas than a wallet's check may use, so its answer would prove nothing.
error NotEnoughGas();

/**
 * Whether `from` signed `hash`: with its own key, 65 bytes with a low s that end with 27 or 28; or as a deployed contract by ERC-1271.
 * An account with both a key and code (EIP-7702) may use either.
 *
 * A wallet is called by staticcall. Any other behaviour (revert, loop, a megabyte of output, garbage) is a refusal.
 */
function isSignedBy(address from, bytes32 hash, bytes memory signature) view returns (bool) {
    if (signature.length > MOST_SIGNATURE_BYTES) return false;
    (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(hash, signature);
    if (problem == ECDSA.RecoverError.NoError && signer == from) return true;
    return from.code.length > 0 && isAcceptedBy(from, hash, signature);
}

function isAcceptedBy(address wallet, bytes32 hash, bytes memory signature) view returns (bool isAccepted) {
    bytes memory question = abi.encodeCall(IERC1271.isValidSignature, (hash, signature));
    // A call forwards at most 63/64 of the gas, silently less than requested.
    if ((gasleft() / 64) * 63 < MOST_WALLET_GAS + SPARE_GAS) revert NotEnoughGas();
    bytes32 yes = bytes32(IERC1271.isValidSignature.selector);
    assembly ("memory-safe") {
        // Copies one word of the answer, however long it is.
        let isDone := staticcall(MOST_WALLET_GAS, wallet, add(question, 32), mload(question), 0, 32)
        isAccepted := and(and(isDone, gt(returndatasize(), 31)), eq(mload(0), yes))
    }
}
