// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {ShortString, ShortStrings} from "@openzeppelin/contracts/utils/ShortStrings.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {isSignedBy} from "./proof-signature.sol";

/**
 * Settles payment proofs: moves exactly the signed amount from a wallet to the treasury, once, under the allowance that the wallet
 * gave this contract.
 *
 * All its parameters are part of its code and never change. It has no owner, no upgrade and no way to move money anywhere else, and it
 * holds no money itself.
 */
contract Settlement {
    using SafeERC20 for IERC20;
    using ShortStrings for ShortString;

    /// Maximum difference between the signed time and the block's, either way.
    uint256 private constant MOST_AGE_MS = 300_000;
    uint256 private constant UNITS_PER_CENT = 10_000;

    ShortString private immutable _serviceName;
    IERC20 public immutable usdc;
    address public immutable treasury;
    /// The only caller. The worst it can do is not to submit a proof.
    address public immutable relayer;

    /// Cents settled under a wallet's request number; 0 when nothing was.
    mapping(address from => mapping(uint128 requestNumber => uint64)) public settledCents;

    event Settled(address indexed from, uint128 indexed requestNumber, uint64 cents, uint64 timestampMs);

    error NotOneWord();
    error NoAddress();
    error NotRelayer();
    error NothingToSettle();
    error Expired(uint256 blockTimestampMs);
    error AlreadySettled(uint64 cents);
    error BadSignature();
    error WrongAmountReceived();

    /// @param serviceName_ one word of letters and digits, at most 31 bytes, so that the text is unambiguous
    constructor(string memory serviceName_, IERC20 usdc_, address treasury_, address relayer_) {
        bytes memory word = bytes(serviceName_);
        if (word.length == 0) revert NotOneWord();
        for (uint256 index = 0; index < word.length; index++) if (!_isLetterOrDigit(word[index])) revert NotOneWord();
        if (address(usdc_) == address(0) || treasury_ == address(0) || relayer_ == address(0)) revert NoAddress();
        _serviceName = ShortStrings.toShortString(serviceName_);
        usdc = usdc_;
        treasury = treasury_;
        relayer = relayer_;
    }

    /**
     * Moves `cents` × 10⁴ units of USDC from `from` to the treasury.
     * @param signature by `from`, over `proofText` as a personal message (EIP-191)
     */
    function settle(address from, uint128 requestNumber, uint64 cents, uint64 timestampMs, bytes calldata signature) external {
        if (msg.sender != relayer) revert NotRelayer();
        if (cents == 0) revert NothingToSettle();
        uint256 nowMs = block.timestamp * 1_000;
        if ((timestampMs > nowMs ? timestampMs - nowMs : nowMs - timestampMs) > MOST_AGE_MS) revert Expired(nowMs);
        uint64 settled = settledCents[from][requestNumber];
        if (settled != 0) revert AlreadySettled(settled);
        // Written before any external code runs, so that a reentrant call finds it settled.
        settledCents[from][requestNumber] = cents;
        bytes32 hash = MessageHashUtils.toEthSignedMessageHash(bytes(proofText(requestNumber, cents, timestampMs)));
        if (!isSignedBy(from, hash, signature)) revert BadSignature();
        _move(from, uint256(cents) * UNITS_PER_CENT);
        emit Settled(from, requestNumber, cents, timestampMs);
    }

    /// The four lines that `from` signs.
    function proofText(uint128 requestNumber, uint64 cents, uint64 timestampMs) public view returns (string memory) {
        return
            string.concat(
                string.concat(_serviceName.toString(), " Payment\nRequest ID: req_", Strings.toString(requestNumber)),
                string.concat("\nAmount: ", Strings.toString(cents), " USDC cents"),
                string.concat("\nTimestamp: ", Strings.toString(timestampMs))
            );
    }

    function serviceName() external view returns (string memory) {
        return _serviceName.toString();
    }

    /// Reverts unless the treasury received exactly `units`.
    function _move(address from, uint256 units) private {
        uint256 before = usdc.balanceOf(treasury);
        usdc.safeTransferFrom(from, treasury, units);
        if (usdc.balanceOf(treasury) - before != units) revert WrongAmountReceived();
    }

    function _isLetterOrDigit(bytes1 character) private pure returns (bool) {
        return
            (character >= "0" && character <= "9") || (character >= "A" && character <= "Z") || (character >= "a" && character <= "z");
    }
}
